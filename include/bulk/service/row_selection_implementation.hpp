// SPDX-License-Identifier: MIT
#pragma once

// Which rows an export takes: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_selection.hpp>
#include <bulk/service/row_standing.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE result<row_selection> row_selection::make(const export_options& options,
                                                      const operation_description& operation) {
    auto step = find_step(operation, options.step);
    if (!step) return std::unexpected{std::move(step).error()};
    return row_selection{options, *step};
}

BULK_INLINE const std::vector<row_number>& row_selection::rows() const { return only_; }

BULK_INLINE bool row_selection::has(row_number row) const {
    return only_.empty() || std::ranges::binary_search(only_, row);
}

BULK_INLINE bool row_selection::is_past_last(row_number row) const {
    return !only_.empty() && row > only_.back();
}

BULK_INLINE bool row_selection::has(const row_standing& standing) const {
    const row_record* last = standing.last;
    if (!is_among(standing) || (state_ && standing.state != *state_)) return false;
    if (failure_ && (last == nullptr || last->failure != failure_)) return false;
    if (!pattern_.empty() &&
        (!standing.has_failed() || error_pattern(last->error_message) != pattern_))
        return false;
    return !step_ || (last != nullptr && last->step == *step_);
}

BULK_INLINE bool row_selection::is_among(const row_standing& standing) const {
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

BULK_INLINE row_selection::row_selection(const export_options& options,
                                         std::optional<step_index> step)
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

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
