// Any bytes as an address: what is taken leads nowhere else, and is the same when it is written again.
#include <bulk/http/target.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string encoded(std::string_view text) {
    std::string all;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        ((all += '%') += "0123456789ABCDEF"[byte >> 4]) += "0123456789ABCDEF"[byte & 15];
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = "/" + std::string{reinterpret_cast<const char*>(data), size};
    const auto parsed = bulk::http::parse_target(text);
    if (!parsed) {
        for (const char c : parsed.error().message)
            if (c < 0x20 || c > 0x7E) std::abort();
        return 0;
    }
    std::string again = parsed->path.empty() ? "/" : "";
    for (const auto& segment : parsed->path) {
        if (segment.empty() || segment == "." || segment == "..") std::abort();
        again += "/" + encoded(segment);
    }
    again += '?';
    for (const auto& [name, value] : parsed->query)
        again += encoded(name) + "=" + encoded(value) + "&";
    const auto reparsed = bulk::http::parse_target(again);
    if (!reparsed || reparsed->path != parsed->path || reparsed->query != parsed->query)
        std::abort();
    return 0;
}
