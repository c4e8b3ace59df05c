#include <bulk/core/row_record.hpp>
#include <bulk/storage/retry_selection.hpp>

#include <support/ut.hpp>

#include <cstdint>
#include <vector>

using namespace boost::ut;
using bulk::error_type, bulk::row_number, bulk::step_index;

namespace {

static_assert(bulk::is_resettable(bulk::row_state::failed));
static_assert(bulk::is_resettable(bulk::row_state::timed_out));
static_assert(not bulk::is_resettable(bulk::row_state::completed));

constexpr row_number row{1};
constexpr step_index first{0}, second{1};

suite<"retry selection"> selections = [] {
    "without a filter every failed step is meant, and no validation"_test = [] {
        const bulk::retry_filter all;
        const std::vector<step_index> none;
        const bulk::retry_selection selection{all, none};
        expect(selection.matches(first, error_type::timeout));
        expect(not selection.matches(bulk::validation_step, error_type::validation));
    };

    "what is set must match"_test = [] {
        const bulk::retry_filter filter{.step = second, .failure = error_type::timeout};
        const std::vector<step_index> none;
        const bulk::retry_selection selection{filter, none};
        expect(selection.matches(second, error_type::timeout));
        expect(not selection.matches(first, error_type::timeout));
        expect(not selection.matches(second, error_type::processing));
        expect(not selection.matches(second, std::nullopt));
    };

    "rows of excluded steps are skipped and listed, others are submitted"_test = [] {
        const bulk::retry_filter all;
        const std::vector<step_index> excluded{second};
        const bulk::retry_selection selection{all, excluded};
        bulk::retry_submission made;
        expect(selection.count(row, first, error_type::processing, made));
        expect(not selection.count(row, second, error_type::processing, made));
        expect(not selection.count(row, first, error_type::parse, made)) << "the file is wrong";
        expect(made.submitted == 1_ul and made.skipped == 2_ul and made.refused.size() == 1_ul);
    };

    "a record is reset if its state, its row and its failure are meant"_test = [] {
        const bulk::retry_filter filter{.rows = std::vector{row, row_number{7}}};
        const std::vector<step_index> none;
        const bulk::retry_selection selection{filter, none};
        bulk::retry_submission made;
        const bulk::row_record failed{.row = row,
                                      .step = first,
                                      .state = bulk::row_state::failed,
                                      .failure = error_type::processing};
        auto other = failed, completed = failed;
        other.row = row_number{2};
        completed.state = bulk::row_state::completed;
        expect(selection.resets(failed, made));
        expect(not selection.resets(other, made) and not selection.resets(completed, made));
        expect(made.submitted == 1_ul and made.skipped == 0_ul);
    };

    "a hundred refused rows are listed"_test = [] {
        const bulk::retry_filter all;
        const std::vector<step_index> excluded{first};
        const bulk::retry_selection selection{all, excluded};
        bulk::retry_submission made;
        for (std::uint64_t i = 1; i <= 150; ++i)
            (void)selection.count(row_number{i}, first, std::nullopt, made);
        expect(made.skipped == 150_ul and made.refused.size() == 100_ul);
    };
};

}  // namespace

int main() {}
