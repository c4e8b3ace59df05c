#include <bulk/core/limits.hpp>

#include <support/ut.hpp>

#include <string>

using namespace boost::ut;
using bulk::cut_message, bulk::longest_message;

namespace {

suite<"limits"> limits = [] {
    "a message that fits stays"_test = [] {
        const std::string longest(longest_message, 'x');
        expect(cut_message("") == std::string{} and cut_message(longest) == longest);
    };

    "a longer one ends with how long it was, and is no longer than the limit"_test = [] {
        const auto cut = cut_message(std::string(longest_message + 1, 'x'));
        expect(cut.size() == longest_message);
        expect(cut.starts_with("xxx") and cut.contains("2001 bytes")) << cut;
    };

    "no character is cut in two"_test = [] {
        for (const std::string letter : {"\u00e4", "\u20ac", "\U0001f600"})
            for (std::size_t shift = 0; shift < letter.size(); ++shift) {
                std::string text(shift, 'x');
                while (text.size() <= 2 * longest_message) text += letter;
                const auto cut = cut_message(text);
                const auto end = cut.rfind(" ... (");
                expect(fatal(end != std::string::npos and cut.size() <= longest_message));
                expect((end - shift) % letter.size() == 0_ul) << letter << shift;
                expect(longest_message - cut.size() < letter.size()) << "and no more than that";
            }
    };
};

}  // namespace

int main() {}
