#include <bulk/rows/utf8.hpp>

#include <support/ut.hpp>

#include <string>

using namespace boost::ut;

namespace {

suite<"utf-8"> utf8 = [] {
    "valid text is valid wherever it stands"_test = [] {
        for (const std::string text :
             {"", "plain", "Zo\xc3\xab", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
              "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
            for (std::size_t before = 0; before < 20; ++before)
                expect(bulk::is_valid_utf8(std::string(before, 'a') + text + "abcdefgh")) << text;
    };

    "invalid bytes are found where they are"_test = [] {
        for (const std::string bad :
             {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
              "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
              "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2(\x82",
              "\xe2\x82(", "\xf0\x9f\x98("})
            for (std::size_t before = 0; before < 20; ++before)
                expect(bulk::find_invalid_utf8(std::string(before, 'a') + bad) == before) << before;
    };

    "16 bytes at a time and one by one agree"_test = [] {
        // Every kind of byte, four in a row, across the edge of a block.
        constexpr unsigned char kinds[] = {'a',  0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                           0xc0, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xee,
                                           0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};
        int differ = 0;
        for (const auto a : kinds)
            for (const auto b : kinds)
                for (const auto c : kinds)
                    for (const auto d : kinds)
                        for (const std::size_t before : {0U, 13U, 14U, 15U, 28U}) {
                            std::string text(before, 'a');
                            for (const auto byte : {a, b, c, d}) text += static_cast<char>(byte);
                            if (before % 2 == 0) text.append(16, 'a');
                            const bool one_by_one = bulk::find_invalid_utf8(text) == text.size();
                            if (bulk::is_valid_utf8(text) != one_by_one) ++differ;
                        }
        expect(differ == 0_i);
    };

    "code points are written as UTF-8"_test = [] {
        const auto written = [](char32_t point) {
            char bytes[4];
            return std::string(bytes, bulk::put_utf8(bytes, point));
        };
        expect(written(U'a') == "a");
        expect(written(0xeb) == "\xc3\xab");
        expect(written(0x20ac) == "\xe2\x82\xac");
        expect(written(0x10ffff) == "\xf4\x8f\xbf\xbf");
    };
};

}  // namespace

int main() {}
