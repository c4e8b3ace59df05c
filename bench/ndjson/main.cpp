// How fast do NDJSON files become structs, next to Glaze alone? Above 1 we are faster.
#include "../csv/contest.hpp"
#include "../support.hpp"
#include "workload.hpp"

#include <bulk/rows/json/reader.hpp>

#include <glaze/glaze.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

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
    bench::contest<narrow> readers{name};
    readers.enter("glaze", [&](auto visit) { read_with_glaze(lines, visit); });
    readers.enter("bulk",
                  [&](auto visit) { read_with_bulk(lines, bulk::json::layout::lines, visit); });
    readers.enter("array",
                  [&](auto visit) { read_with_bulk(array, bulk::json::layout::array, visit); });
    const auto& contenders = readers.race(rounds);
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
