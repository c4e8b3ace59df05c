// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/cell_error.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/row_error.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::json {

/// Why an element could not be read.
struct mishap {
    static constexpr std::size_t no_member = std::numeric_limits<std::size_t>::max();

    syntax wrong = syntax::fine;
    const char* at = nullptr;
    std::size_t member = no_member;  ///< where there is one
    std::string_view cell{};
    std::string_view kind{};  ///< of a value that no column takes
};

/// The same as an error of a row: where the element is wrong, or why a cell is no value of its column.
template <declared_row Row>
[[nodiscard]] row_error mishap_error(const mishap& what, std::string_view element,
                                     const row_limits& limits) {
    if (what.wrong != syntax::fine) {
        std::string reason{describe(what.wrong)};
        if (what.wrong == syntax::too_deep) reason += concat("; the limit is ", limits.json_depth);
        const bool has_column = what.member != mishap::no_member;
        return {.column = std::string{has_column ? column_descriptions<Row>[what.member].name : ""},
                .reason =
                    concat(reason, ", at byte ", what.at - element.data() + 1, " of the element")};
    }
    const auto& column = column_descriptions<Row>[what.member];
    if (!what.kind.empty())
        return {.column = std::string{column.name},
                .reason = concat("it is ", what.kind, "; the column takes one value")};
    const std::string_view cell = what.cell;
    if (cell.size() > limits.field_bytes)
        return long_cell_error(column, cell, cell.size(), limits.field_bytes);
    std::string reason;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t member) {
        using bare = typename bare_type<member_type_of<Pointer>>::type;
        if (member == what.member)
            reason = unreadable_reason<bare>(cell, column.format).value_or(std::string{});
    });
    return cell_error(column, cell, std::move(reason));
}

}  // namespace bulk::json
