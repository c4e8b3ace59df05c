// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/row_standing.hpp>

#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// Which rows of an operation an export has.
class row_selection {
public:
    [[nodiscard]] static result<row_selection> make(const export_options& options,
                                                    const operation_description& operation);

    /// Sorted; empty means all.
    [[nodiscard]] const std::vector<row_number>& rows() const;

    /// Whether a row is asked for, by its number.
    [[nodiscard]] bool has(row_number row) const;
    /// Whether none is, from this one on.
    [[nodiscard]] bool is_past_last(row_number row) const;

    /// Whether it is, by what became of it.
    [[nodiscard]] bool has(const row_standing& standing) const;

private:
    row_selection(const export_options& options, std::optional<step_index> step);

    [[nodiscard]] bool is_among(const row_standing& standing) const;

    export_rows among_;
    std::optional<row_state> state_;
    std::optional<error_type> failure_;
    std::optional<step_index> step_;
    std::string pattern_;
    std::vector<row_number> only_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/service/row_selection_implementation.hpp>
#endif
