// Any bytes, read by every instruction set, through small and large windows, from memory and in
// pieces: the records must be the same, and nothing may be read out of bounds.
#include <bulk/rows/csv/scanner.hpp>

#include "../tests/support/in_pieces.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string scan(bulk::byte_source source, const bulk::csv::dialect& format,
                 const bulk::csv::scan_tuning& tuning) {
    bulk::csv::scanner scanner{std::move(source), format, {.row_bytes = 1000}, {}, tuning};
    bulk::scratch scratch;
    std::string all;
    while (true) {
        const auto found = scanner.next();
        if (found == bulk::found::end) return all;
        if (found == bulk::found::failure) return all + scanner.error().message;
        all += std::to_string(scanner.line()) + '@' + std::to_string(scanner.begin());
        if (found == bulk::found::too_long) {
            all += " too long " + std::to_string(scanner.passed_over()) + '\n';
            continue;
        }
        if (found == bulk::found::misquoted) {
            all += " misquoted " + std::to_string(scanner.misquoted().field) + '[';
            all += scanner.current().whole();
            all += "]\n";
            continue;
        }
        const auto& record = scanner.current();
        scratch.clear(record.whole().size());
        for (std::size_t i = 0; i < record.size; ++i) {
            bool valid = true;
            all += '[';
            all += content(record.raw(i), format, scratch, valid);
            all += valid ? "]" : "]!";
        }
        all += '\n';
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const bulk::csv::dialect format{.delimiter = ",;\t|"[data[0] % 4],
                                    .quote = data[0] % 8 == 7 ? '\0' : '"',
                                    .comment = data[1] % 4 == 0 ? '#' : '\0',
                                    .trim = data[1] % 5 == 0};
    const std::size_t window = 64 + 9 * data[2];
    const std::size_t piece = 1 + data[3] % 50;
    const std::string_view text{reinterpret_cast<const char*>(data) + 4, size - 4};
    std::string first;
    for (const auto& each : bulk::enumerators_of<bulk::csv::instruction_set>) {
        if (!bulk::csv::is_supported(each.value)) continue;
        const auto whole =
            scan(bulk::bytes_of_text(text), format, {.window = 1 << 16, .set = each.value});
        auto dripping = support::in_pieces(std::string{text}, piece);
        const auto parts = scan(std::move(dripping), format, {.window = window, .set = each.value});
        if (first.empty()) first = whole;
        if (whole != first) std::abort();
        if (whole != parts) std::abort();
    }
    return 0;
}
