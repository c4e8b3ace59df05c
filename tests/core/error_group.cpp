#include <bulk/core/error_group.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace boost::ut;
using namespace std::string_literals;
using bulk::error_pattern;

namespace {

bulk::row_record failed(std::uint64_t row, std::string message,
                        bulk::error_type type = bulk::error_type::validation,
                        bulk::step_index step = bulk::validation_step) {
    return {.row = bulk::row_number{row},
            .step = step,
            .state = bulk::row_state::failed,
            .failure = type,
            .error_message = std::move(message)};
}

suite<"error patterns"> patterns = [] {
    "numbers are folded"_test = [] {
        expect(error_pattern("nobody is 7 years old") == "nobody is # years old"s);
        expect(error_pattern("12.5 is over 1,000.00.") == "# is over #."s);
        expect(error_pattern("2026-01-02") == "#-#-#"s);
        expect(error_pattern("row 3: no") == error_pattern("row 12345: no"));
    };
    "identifiers are folded"_test = [] {
        expect(error_pattern("no 01234567-89ab-cdef-0123-456789abcdef here") == "no # here"s);
        expect(error_pattern("blob 9f86d081884c7d65 is gone") == "blob # is gone"s);
        expect(error_pattern("defaced facade") == "defaced facade"s) << "words of hex letters";
    };
    "text in quotes is folded, apostrophes are not quotes"_test = [] {
        expect(error_pattern("there is no 'Bob'") == "there is no '…'"s);
        expect(error_pattern("there is no \"B 7\" or `x`") == "there is no \"…\" or `…`"s);
        expect(error_pattern("it doesn't, it can't") == "it doesn't, it can't"s);
        expect(error_pattern("no 'O'Brien' here") == "no '…' here"s);
        expect(error_pattern("an open 'quote") == "an open 'quote"s);
        expect(error_pattern("''") == "'…'"s);
    };
    "the name of a column is kept: another column is another error"_test = [] {
        expect(error_pattern("line 3, column 'age', 'x': it is not a whole number") ==
               "line #, column 'age', '…': it is not a whole number"s);
    };
    "no character is cut in two"_test = [] {
        expect(error_pattern("größer als 5 „Äpfel“") == "größer als # „Äpfel“"s);
        std::string many;
        for (int i = 0; i < 2000; ++i) many += "ä";
        const auto pattern = error_pattern("x" + many);
        expect(pattern.size() <= 512_u and pattern.size() > 500_u);
        expect(pattern.size() % 2 == 1_u) << "an x and whole letters";
    };
};

suite<"error groups"> groups = [] {
    "equal but for their numbers, they are counted together, with the first row and a sample"_test =
        [] {
            bulk::error_grouping all;
            all.add(failed(9, "age 9 is too low"));
            all.add(failed(4, "no 'x'"));
            all.add(failed(2, "age 2 is too low"));
            const auto found = all.groups();
            expect(fatal(found.size() == 2_u));
            expect(found[0] == bulk::error_group{.pattern = "age # is too low",
                                                 .failure = bulk::error_type::validation,
                                                 .count = 2,
                                                 .first_row = bulk::row_number{2},
                                                 .sample = "age 2 is too low"});
            expect(found[1].pattern == "no '…'"s and found[1].count == 1_u);
        };
    "the same words of another type or step are another group"_test = [] {
        bulk::error_grouping all;
        all.add(failed(1, "no"));
        all.add(failed(2, "no", bulk::error_type::step_failure, bulk::step_index{0}));
        all.add(failed(3, "no", bulk::error_type::step_failure, bulk::step_index{1}));
        const auto found = all.groups();
        expect(fatal(found.size() == 3_u));
        expect(found[0].first_row == bulk::row_number{1} and
               found[2].first_row == bulk::row_number{3});
    };
    "beyond the limit the rest is one group, the last"_test = [] {
        bulk::error_grouping all{2};
        const std::vector<std::string> words{"a", "b", "c", "d", "c", "b"};
        for (std::size_t i = 0; i < words.size(); ++i) all.add(failed(i + 1, words[i]));
        const auto found = all.groups();
        expect(fatal(found.size() == 3_u));
        expect(found[0].pattern == "b"s and found[1].pattern == "a"s);
        expect(found[2].pattern == "others"s and found[2].count == 3_u and
               found[2].first_row == bulk::row_number{3} and found[2].sample == "c"s and
               !found[2].failure);
    };
};

}  // namespace

int main() {}
