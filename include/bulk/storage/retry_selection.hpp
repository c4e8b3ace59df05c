// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace bulk {

/// Whether a retry can reset a record in this state.
[[nodiscard]] constexpr bool is_resettable(row_state state) {
    return allows(state, row_state::pending);
}

/// Which failed records a retry resets.
class retry_selection {
public:
    /// `excluded`: steps whose rows cannot be retried.
    retry_selection(const retry_filter& filter, const std::vector<step_index>& excluded)
        : filter_{filter}, excluded_{excluded} {}

    [[nodiscard]] const retry_filter& filter() const { return filter_; }
    [[nodiscard]] const std::vector<step_index>& excluded() const { return excluded_; }

    /// Whether a failed record is meant, as far as its failure and its step tell.
    [[nodiscard]] bool matches(step_index step, std::optional<error_type> failure) const {
        return step >= step_index{0} && (!filter_.step || step == *filter_.step) &&
               (!filter_.failure || failure == filter_.failure);
    }

    /// Whether a record is to be reset; counts the record if it matches.
    [[nodiscard]] bool resets(const row_record& record, retry_submission& into) const {
        const auto& rows = filter_.rows;
        return is_resettable(record.state) && matches(record.step, record.failure) &&
               (!rows || std::ranges::find(*rows, record.row) != rows->end()) &&
               count(record.row, record.step, record.failure, into);
    }

    /// Counts a record that matches; whether it is to be reset.
    [[nodiscard]] bool count(row_number row, step_index step, std::optional<error_type> failure,
                             retry_submission& into) const {
        const bool is_excluded = std::ranges::find(excluded_, step) != excluded_.end();
        if (is_excluded && into.refused.size() < most_refused) into.refused.emplace_back(row, step);
        const bool is_skipped = is_excluded || (failure && !is_retryable(*failure));
        ++(is_skipped ? into.skipped : into.submitted);
        return !is_skipped;
    }

    /// More are not listed.
    static constexpr std::size_t most_refused = 100;

private:
    const retry_filter& filter_;
    const std::vector<step_index>& excluded_;
};

}  // namespace bulk
