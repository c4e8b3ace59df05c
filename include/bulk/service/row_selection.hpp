// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_standing.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Which rows of an operation an export has.
class row_selection {
public:
    [[nodiscard]] static result<row_selection> make(const export_options& options,
                                                    const operation_description& operation) {
        auto step = find_step(operation, options.step);
        if (!step) return std::unexpected{std::move(step).error()};
        return row_selection{options, *step};
    }

    /// Sorted; empty means all.
    [[nodiscard]] const std::vector<row_number>& rows() const { return only_; }

    /// Whether a row is asked for, by its number.
    [[nodiscard]] bool has(row_number row) const {
        return only_.empty() || std::ranges::binary_search(only_, row);
    }
    /// Whether none is, from this one on.
    [[nodiscard]] bool is_past_last(row_number row) const {
        return !only_.empty() && row > only_.back();
    }

    /// Whether it is, by what became of it.
    [[nodiscard]] bool has(const row_standing& standing) const {
        const row_record* last = standing.last;
        if (!is_among(standing) || (state_ && standing.state != *state_)) return false;
        if (failure_ && (last == nullptr || last->failure != failure_)) return false;
        if (!pattern_.empty() &&
            (!standing.has_failed() || error_pattern(last->error_message) != pattern_))
            return false;
        return !step_ || (last != nullptr && last->step == *step_);
    }

private:
    row_selection(const export_options& options, std::optional<step_index> step)
        : among_{options.rows},
          state_{options.state},
          failure_{options.failure},
          step_{step},
          pattern_{options.pattern},
          only_{options.only} {
        std::ranges::sort(only_);
        const auto twins = std::ranges::unique(only_);
        only_.erase(twins.begin(), twins.end());
    }

    [[nodiscard]] bool is_among(const row_standing& standing) const {
        switch (among_) {
            case export_rows::succeeded:
                return standing.has_succeeded();
            case export_rows::failed:
                return standing.has_failed();
            case export_rows::unprocessed:
                return standing.is_unprocessed;
            default:
                return true;
        }
    }

    export_rows among_;
    std::optional<row_state> state_;
    std::optional<error_type> failure_;
    std::optional<step_index> step_;
    std::string pattern_;
    std::vector<row_number> only_;
};

}  // namespace bulk
