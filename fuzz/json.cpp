// Any bytes as a JSON array and as NDJSON, through small and large windows, from memory and in
// pieces: the rows must be the same, nothing may be read out of bounds, and what we take for JSON
// Glaze must take for JSON, and the other way round. A column of any JSON is written as it was read.
#include <bulk/operation/declare.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/json/value.hpp>

#include "../tests/support/in_pieces.hpp"

#include <glaze/json/generic.hpp>
#include <glaze/json/read.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

struct entry {
    std::string a;
    std::optional<double> b;
    std::optional<int> c;
    std::optional<std::string_view> d;
};
BULK_ROW(entry, (a, .required = false), b, c, (d, .column = "e.d"));

std::string read_all(bulk::byte_source source, bulk::json::layout layout, std::size_t window) {
    auto reader =
        bulk::json::reader<entry>::open(std::move(source), layout, {.row_bytes = 1000}, window);
    std::string all;
    entry row;
    while (true) {
        const auto status = reader.next(row);
        if (status == bulk::read_status::end) return all;
        if (status == bulk::read_status::failure) return all + reader.error().message;
        all += std::to_string(reader.line()) + ' ';
        if (status == bulk::read_status::bad_row) {
            all += to_text(reader.problem()) + '\n';
            continue;
        }
        all += row.a + '|' + (row.b ? std::to_string(*row.b) : "-") + '|' +
               (row.c ? std::to_string(*row.c) : "-") + '|' + std::string{row.d.value_or("-")} +
               '\n';
    }
}

bool is_json(std::string_view text) {
    const std::string padded = std::string{text} + std::string(64, '\0');
    const char* at = padded.data();
    const char* const end = at + text.size();
    bulk::json::skip_spaces(at, end);
    if (bulk::json::skip_value(at, end, bulk::json::glaze_depth) != bulk::json::syntax::fine)
        return false;
    bulk::json::skip_spaces(at, end);
    return at == end;
}

/// Reads a cell of any JSON, writes it and reads it again.
template <typename T>
void check_cell(std::string_view text) {
    using value = bulk::json::value<T>;
    const auto read = from_text(std::type_identity<value>{}, text);
    if (!read) return;
    if (!is_json(text)) std::abort();
    const auto written = to_text(*read);
    if (written.find_first_of("\r\n") != std::string::npos) std::abort();
    const auto again = from_text(std::type_identity<value>{}, written);
    if (!again || to_text(*again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t window = 1100 + data[0];
    const std::size_t piece = 1 + data[1] % 50;
    const std::string_view text{reinterpret_cast<const char*>(data) + 2, size - 2};
    for (const auto layout : {bulk::json::layout::array, bulk::json::layout::lines}) {
        const auto whole = read_all(bulk::bytes_of_text(text), layout, 1 << 16);
        auto dripping = support::in_pieces(std::string{text}, piece);
        if (read_all(std::move(dripping), layout, window) != whole) std::abort();
    }
    check_cell<glz::raw_json>(text);
    check_cell<glz::generic_u64>(text);
    const std::string copy{text};
    const bool glaze = !glz::validate_json(copy);
    // Glaze refuses what is nested deeper than 256, we what is deeper than 255.
    if (is_json(text) != glaze &&
        std::ranges::count(text, '[') + std::ranges::count(text, '{') < 200)
        std::abort();
    return 0;
}
