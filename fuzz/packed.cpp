// Any bytes, as a file that may be packed, at once and in pieces: gzip, zstd and UTF-16 must end with
// the same text, or with an error, and stay there.
#include <bulk/rows/text_source.hpp>

#include "../tests/support/in_pieces.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// The text, or the error. Packed data may stand for a lot of text: at most 4 MB are read.
std::string read_all(bulk::byte_source source) {
    auto text = bulk::text_of(std::move(source));
    if (!text) return "failure: " + text.error().message;
    std::string all;
    std::array<char, 4096> part{};
    while (all.size() < 4'000'000) {
        const auto got = text->read_some(part);
        if (!got) {
            if (text->read_some(part)) std::abort();  // a failure is for good
            return "failure: " + got.error().message;
        }
        if (*got == 0) return all;
        all.append(part.data(), *got);
    }
    all.resize(4'000'000);
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::size_t piece = 1 + data[0] % 20;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    const auto whole = read_all(bulk::bytes_of_text(bytes));
    auto dripping = support::in_pieces(std::string{bytes}, piece);
    const auto pieces = read_all(std::move(dripping));
    // Where corrupt data is found to be corrupt depends on how much of it was at hand.
    const auto is_same = [&] {
        if (whole.starts_with("failure: ")) return pieces.starts_with("failure: ");
        return whole == pieces;
    };
    if (!is_same()) std::abort();
    return 0;
}
