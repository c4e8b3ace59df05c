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
};

}  // namespace

int main() {}
