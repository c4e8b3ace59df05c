// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/row_error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// What is wrong with a cell. What a hidden column holds is not shown: a reason of the user's own may quote it.
[[nodiscard]] inline row_error cell_error(const column_description& column, std::string_view cell,
                                          std::string reason) {
    if (column.hidden && !cell.empty() && reason.contains(cell)) reason = "it cannot be read";
    return {.column = std::string{column.name},
            .cell = column.hidden ? std::string{hidden_text} : shortened(cell),
            .reason = std::move(reason)};
}

/// A cell of `size` bytes, of which `cell` is the beginning.
[[nodiscard]] inline row_error long_cell_error(const column_description& column,
                                               std::string_view cell, std::size_t size,
                                               std::size_t limit) {
    return cell_error(column, cell, concat("the field has ", size, " bytes; the limit is ", limit));
}

/// Why a text is no value of a type; none when it is one.
template <typename T>
[[nodiscard]] std::optional<std::string> unreadable_reason(std::string_view text,
                                                           std::string_view format) {
    auto read = text_to<T>(text, format);
    if (read) return std::nullopt;
    return text.empty() ? std::string{"the field is empty"} : std::move(read).error().message;
}

}  // namespace bulk
