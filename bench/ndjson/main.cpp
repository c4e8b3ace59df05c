// How fast do NDJSON files become structs, next to Glaze alone? Above 1 we are faster.
#include "../support.hpp"
#include "workload.hpp"

#include <bulk/rows/json/reader.hpp>

#include <glaze/glaze.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t file_size = 32 << 20;
constexpr int rounds = 15;

/// Glaze, a line at a time, into a struct that it reflects itself.
template <typename Visit>
void read_with_glaze(std::string_view text, Visit visit) {
    constexpr glz::opts options{.null_terminated = false, .error_on_unknown_keys = false};
    narrow row;
    while (!text.empty()) {
        const auto* newline = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
        const std::string_view line{text.data(), newline};
        glz::context context;
        if (glz::read<options>(row, line, context)) std::abort();
        visit(row);
        text.remove_prefix(line.size() + 1);
    }
}

template <typename Visit>
void read_with_bulk(std::string_view text, bulk::json::layout layout, Visit visit) {
    auto reader = bulk::json::reader<narrow>::open(bulk::bytes_of_text(text), layout);
    narrow row;
    bulk::read_status status{};
    while ((status = reader.next(row)) == bulk::read_status::row) visit(row);
    if (status != bulk::read_status::end) std::abort();
}

void measure(const std::string& name, const std::string& lines) {
    std::string array = "[" + lines;
    for (auto at = array.find('\n'); at + 1 < array.size(); at = array.find('\n', at + 1))
        array[at] = ',';
    array.back() = ']';
    std::vector<bench::contender> contenders;
    std::uint64_t expected = 0;
    const auto enter = [&](const char* who, auto read) {
        checksum sum;
        read([&](const narrow& row) { add_all(sum, row); });
        if (contenders.empty()) expected = sum.value();
        if (sum.value() != expected) {
            std::printf("%s reads another %s file than the others\n", who, name.c_str());
            std::exit(1);
        }
        contenders.push_back({who, [read] {
                                  std::uint64_t rows = 0;
                                  read([&](const narrow& row) {
                                      asm volatile("" : : "r"(&row) : "memory");
                                      ++rows;
                                  });
                                  if (rows == 0) std::abort();
                              }});
    };
    enter("glaze", [&](auto visit) { read_with_glaze(lines, visit); });
    enter("bulk", [&](auto visit) { read_with_bulk(lines, bulk::json::layout::lines, visit); });
    enter("array", [&](auto visit) { read_with_bulk(array, bulk::json::layout::array, visit); });
    bench::race(contenders, rounds);
    for (const auto& each : contenders)
        std::printf("ndjson %s %s: %.0f MB/s\n", name.c_str(), each.name.c_str(),
                    static_cast<double>(lines.size()) / each.best / 1e6);
    bench::figure("ndjson." + name + ".vs_glaze", contenders[0].best / contenders[1].best);
    bench::figure("ndjson." + name + ".array_vs_glaze", contenders[0].best / contenders[2].best);
}

}  // namespace

int main() {
    measure("narrow", workload::json_lines(file_size, false));
    measure("extra", workload::json_lines(file_size, true));
}
