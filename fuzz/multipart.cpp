// Any bytes as a form: the same parts, or the same refusal, whatever size they come in and are read in.
#include <bulk/http/multipart.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace {

std::string read_form(std::string_view text, std::size_t piece, std::size_t room) {
    bulk::http::multipart_reader reader{
        [text, piece](std::span<char> into) mutable -> bulk::result<std::size_t> {
            const auto count = std::min({text.size(), into.size(), piece});
            std::copy_n(text.begin(), count, into.begin());
            text.remove_prefix(count);
            return count;
        },
        "b"};
    std::string all, into(room, ' ');
    while (true) {
        const auto part = reader.next();
        if (!part) return all + part.error().message;
        if (!*part) return all + "the end";
        all += (*part)->name + '|' + (*part)->file_name.value_or("-") + '|' + (*part)->type + '|';
        while (true) {
            const auto count = reader.read(into);
            if (!count) return all + count.error().message;
            if (*count == 0) break;
            all.append(into, 0, *count);
        }
        all += '\n';
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const std::string text =
        data[1] % 2 == 0
            ? std::string{bytes}
            : std::string{"--b\r\nContent-Disposition: form-data; name="}.append(bytes);
    if (read_form(text, text.size() + 1, 10'000) !=
        read_form(text, 1 + data[0] % 64, 1 + data[1] % 64))
        std::abort();
    (void)bulk::http::multipart_reader::boundary_of(bytes);
    return 0;
}
