// Any bytes, as a file that may be packed: gzip, zstd and UTF-16 must end, with text or an error.
#include <bulk/rows/text_source.hpp>

#include <array>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto text = bulk::text_of(bulk::bytes_of_text({reinterpret_cast<const char*>(data), size}));
    if (!text) return 0;
    std::array<char, 4096> part{};
    for (int pulls = 0; pulls < 1000; ++pulls) {
        const auto got = text->read_some(part);
        if (!got || *got == 0) return 0;
    }
    return 0;
}
