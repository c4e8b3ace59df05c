// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/row_error.hpp>

#include <cstddef>

namespace bulk::csv {

/// Of the current record; a scanner may not know where all of them end.
template <record_scanner Scanner>
[[nodiscard]] std::size_t field_count(const Scanner& scanner) {
    std::size_t count = scanner.current().size;
    if constexpr (requires { scanner.left_out(); }) count += scanner.left_out();
    return count;
}

/// The first row says how many fields the others have. With an unmatched quote it says something else,
/// and may have taken in the rows behind it.
template <record_scanner Scanner>
[[nodiscard]] result<> check_first_row(const Scanner& scanner, const row_limits& limits) {
    if (const auto count = field_count(scanner); count > limits.columns)
        return fail(errc::invalid_row,
                    concat("the file has ", count, " columns; the limit is ", limits.columns));
    const record& record = scanner.current();
    for (std::size_t i = 0; i < record.size; ++i) {
        bool valid = true;
        (void)content_size(record.raw(i), scanner.format(), valid);
        if (!valid)
            return fail(
                errc::invalid_row,
                concat("line ", scanner.line(), ", column ", i + 1, ", '", shortened(record.raw(i)),
                       "': there is text behind the closing quote of the ",
                       scanner.format().header ? "header" : "first row",
                       ". Close the quote, or write it twice in a quoted field"));
    }
    return {};
}

}  // namespace bulk::csv
