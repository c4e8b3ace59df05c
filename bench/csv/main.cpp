// How fast do CSV files become structs? Ratios of the best times; above 1 we are faster.
#include "../support.hpp"
#include "contest.hpp"
#include "hand.hpp"
#include "ours.hpp"
#include "workload.hpp"
#if __has_include(<libfccp/csv.h>)
#include "fast_cpp_csv_parser.hpp"
#endif
#if __has_include(<lazycsv.hpp>)
#include "lazycsv.hpp"
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t file_size = 32 << 20;
constexpr int rounds = 15;

template <typename Row>
void measure(const std::string& name, const std::string& text) {
    constexpr std::type_identity<Row> type;
    bench::contest<Row> readers{name};
    readers.enter("hand", [&](auto visit) { hand::read_rows(text, type, visit); });
    readers.enter("bulk", [&](auto visit) { ours::read_rows(text, type, visit); });
#if __has_include(<libfccp/csv.h>)
    if constexpr (!std::same_as<Row, quoted>)  // it cuts rows at quoted newlines
        readers.enter("fast_cpp_csv_parser",
                      [&](auto visit) { fccp::read_rows(text, type, visit); });
#endif
#if __has_include(<lazycsv.hpp>)
    if constexpr (!std::same_as<Row, quoted>)  // so does this one
        readers.enter("lazycsv", [&](auto visit) { lazy::read_rows(text, type, visit); });
#endif
    const auto& contenders = readers.race(rounds);
    const double ours = contenders[1].best;
    for (const auto& each : contenders)
        std::printf("csv %s %s: %.0f MB/s\n", name.c_str(), each.name.c_str(),
                    static_cast<double>(text.size()) / each.best / 1e6);
    for (const auto& each : contenders)
        if (each.name != "bulk")
            bench::figure("csv." + name + ".vs_" + each.name, each.best / ours);
}

}  // namespace

int main() {
    std::printf("csv: %s\n", std::string{bulk::name_of(ours::instruction_set())}.c_str());
    measure<narrow>("narrow", workload::narrow_file(file_size));
    measure<quoted>("quoted", workload::quoted_file(file_size));
    measure<wide>("wide", workload::wide_file(file_size));
}
