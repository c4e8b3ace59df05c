// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/rows/binding.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/cell_error.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/formulas.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/scratch.hpp>
#include <bulk/rows/utf8.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace bulk::csv {

/// Why a field cannot be read as a value of a column; empty when it can.
template <typename T>
[[nodiscard]] std::optional<row_error> field_problem(std::string_view raw,
                                                     const column_description& column,
                                                     bool is_guarded, const dialect& dialect,
                                                     const row_limits& limits, scratch& scratch) {
    constexpr std::size_t shown_size = 1024;  // more than messages show of a field
    bool valid = true;
    const std::size_t size = content_size(raw, dialect, valid);
    if (!valid) return cell_error(column, raw, "there is text behind the closing quote");
    const bool is_over = size > limits.field_bytes;
    std::string_view text =
        content(is_over ? raw.substr(0, shown_size) : raw, dialect, scratch, valid);
    if (is_guarded) text = unguarded(text);
    if (is_over) return long_cell_error(column, text, size, limits.field_bytes);
    if (const auto at = find_invalid_utf8(text); at != text.size())
        return cell_error(column, {}, concat("byte ", at + 1, " of the field is not valid UTF-8"));
    if (is_optional<T> && text.empty()) return std::nullopt;
    auto reason = unreadable_reason<typename bare_type<T>::type>(text, column.format);
    if (!reason) return std::nullopt;
    return cell_error(column, text, std::move(*reason));
}

/// What is wrong with the first field of a record that cannot be read: reads them again, carefully.
template <declared_row Row>
[[nodiscard]] row_error first_problem(const record& record, const binding<Row>& columns,
                                      const dialect& dialect, const row_limits& limits,
                                      scratch& scratch) {
    std::optional<row_error> found;
    scratch.clear(record.whole().size());
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t member) {
        const std::size_t field = columns.fields[member];
        if (found || field == not_in_file) return;
        found = field_problem<member_type_of<Pointer>>(
            record.raw(field), column_descriptions<Row>[member], columns.is_guarded, dialect,
            limits, scratch);
    });
    return std::move(found).value_or(row_error{});
}

}  // namespace bulk::csv
