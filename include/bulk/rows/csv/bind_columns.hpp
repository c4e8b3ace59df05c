// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/binding.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/first_row.hpp>
#include <bulk/rows/csv/formulas.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::csv {

/// The columns that the current record names.
template <declared_row Row, record_scanner Scanner>
[[nodiscard]] result<binding<Row>> bind_names(const Scanner& scanner, scratch& scratch) {
    const record& record = scanner.current();
    std::vector<std::string_view> header;
    scratch.clear(record.whole().size());
    bool valid = true;  // they all are
    for (std::size_t i = 0; i < record.size; ++i)
        header.push_back(trimmed(content(record.raw(i), scanner.format(), scratch, valid)));
    const bool is_guarded = std::ranges::find(header, guard_column) != header.end();
    if (is_guarded)
        for (auto& name : header) name = unguarded(name);
    auto bound = bind_header<Row>(header);
    if (bound)
        bound->is_guarded =
            is_guarded && std::ranges::find(bound->ignored, guard_column) != bound->ignored.end();
    return bound;
}

/// Reads the first row and binds the columns to it: by name, or by position if it has no names. `is_data` is
/// set when it is a row like the others.
template <declared_row Row, record_scanner Scanner>
[[nodiscard]] result<binding<Row>> bind_columns(Scanner& scanner, const row_limits& limits,
                                                scratch& scratch, bool& is_data) {
    const auto found = scanner.next();
    if (found == found::failure) return std::unexpected{scanner.error()};
    if (found == found::too_long)
        return fail(errc::invalid_row,
                    concat("the first row is over the limit of ", limits.row_bytes, " bytes"));
    const bool named = scanner.format().header;
    if (found == found::end) {
        if (named) return fail(errc::invalid_row, "the file is empty; it needs a header");
        return binding<Row>{};
    }
    if (auto checked = check_first_row(scanner, limits); !checked)
        return std::unexpected{std::move(checked).error()};
    if (named) return bind_names<Row>(scanner, scratch);
    is_data = true;
    return bind_positions<Row>(scanner.current().size);
}

}  // namespace bulk::csv
