#include <bulk/rows/text_source.hpp>

#include <support/in_pieces.hpp>
#include <support/packing.hpp>
#include <support/ut.hpp>

#include <random>
#include <string>
#include <string_view>

using namespace boost::ut;
using namespace std::string_literals;
using support::gzip, support::in_pieces, support::zstd;

namespace {

std::string utf16(std::u16string_view text, bool big_endian) {
    std::string out = big_endian ? "\xfe\xff" : "\xff\xfe";
    for (const char16_t unit : text) {
        const auto high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
        out += big_endian ? high : low;
        out += big_endian ? low : high;
    }
    return out;
}

/// All of it, or why not.
std::string read(bulk::byte_source source) {
    auto text = bulk::text_of(std::move(source));
    if (!text) return "refused: " + text.error().message;
    std::string all;
    std::array<char, 100> part{};
    while (true) {
        const auto got = text->read_some(part);
        if (!got) return "failed: " + got.error().message;
        if (*got == 0) return all;
        all.append(part.data(), *got);
    }
}
std::string read(std::string_view text) { return read(bulk::bytes_of_text(text)); }

suite<"text source"> text_sources = [] {
    std::string text;
    std::mt19937 random{5};
    for (int i = 0; i < 50'000; ++i) text += static_cast<char>('a' + random() % 20);

    "text is text, also in pieces and when there is none"_test = [&] {
        expect(read(text) == text and read(in_pieces(text, 7)) == text);
        expect(read("") == ""s and read("a") == "a"s);
    };

    "gzip and zstd are told by content, also over each other"_test = [&] {
        for (const std::size_t drop : {1U, 13U, 100'000U}) {
            expect(read(in_pieces(gzip(text), drop)) == text);
            expect(read(in_pieces(zstd(text), drop)) == text);
            expect(read(in_pieces(gzip(zstd(text)), drop)) == text);
        }
        expect(read(gzip(text) + gzip("and more")) == text + "and more");
        expect(read(zstd(text) + zstd("and more")) == text + "and more");
        expect(read(gzip("")) == ""s);
        expect(read(gzip(gzip(gzip(gzip("x"))))) ==
               "refused: the file is packed more than three times over"s);
    };

    "packed data that is cut off or corrupt fails"_test = [&] {
        const auto packed = gzip(text), frame = zstd(text);
        for (const std::size_t size : {packed.size() - 1, packed.size() / 2, std::size_t{20}})
            expect(read(packed.substr(0, size))
                       .contains("the gzip data is truncated: it ends at byte"))
                << read(packed.substr(0, size));
        expect(read(frame.substr(0, frame.size() / 2))
                   .contains("the zstd data is truncated: it ends at byte"));
        auto broken = packed;
        broken[packed.size() / 2] = static_cast<char>(broken[packed.size() / 2] ^ 0x55);
        expect(read(broken).contains("the gzip data is corrupt at byte "))
            << read(broken).substr(0, 80);
        auto torn = frame;
        torn[12] = static_cast<char>(torn[12] ^ 0x55);
        expect(read(torn).contains("the zstd data ")) << read(torn).substr(0, 80);
    };

    "UTF-16 becomes UTF-8"_test = [] {
        for (const bool big : {false, true})
            for (const std::size_t drop : {1U, 3U, 1000U}) {
                expect(read(in_pieces(utf16(u"a,\u00e4\n\u20ac,\U0001F600\n", big), drop)) ==
                       "a,\xc3\xa4\n\xe2\x82\xac,\xf0\x9f\x98\x80\n"s);
                expect(read(in_pieces(utf16(u"", big), drop)) == ""s);
                const char16_t lone_high[] = {'a', 0xd800, 'b', 0};
                expect(read(in_pieces(utf16(lone_high, big), drop)) ==
                       "a\xff"
                       "b"s);
                const char16_t lone_low[] = {0xdc00, 'b', 0};
                expect(read(in_pieces(utf16(lone_low, big), drop)) ==
                       "\xff"
                       "b"s);
                expect(read(in_pieces(utf16(u"a", big) + "x", drop)) == "a\xff"s);
            }
        expect(read(gzip(utf16(u"x", false))) == "x"s);
    };

    "what is not text is refused by its name"_test = [] {
        expect(read("PK\x03\x04rest") ==
               "refused: the file is a zip archive (an .xlsx workbook is one, too), not text"s);
        expect(read("%PDF-1.7") == "refused: the file is a PDF document, not text"s);
        expect(read("\xff\xfe\0\0a\0\0\0"s) == "refused: the file is in UTF-32; save it as UTF-8"s);
        for (const auto& binary : {"a\0b\0"s, "\0a\0b"s, "id,\0\0\0\0\0"s, "id,na\0me\x01\n"s,
                                   "id,n\xe4me\0\n1,a"s, "\x38\x04,\0\x3c\x04\x38\x04\n\0"s})
            expect(read(binary).contains("binary, or UTF-16 without its byte order mark"))
                << binary;
        for (const auto& text : {"id,name\n1,Ann\0\0\0\0\0\n"s, "id\n\xe2\x82\xac\0"s,
                                 "id,name of the customer\n\0,\xc3\xa9"s})
            expect(read(text) == text) << "fields filled up with NUL are text";
    };
};

}  // namespace

int main() {}
