// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/run/owned_row.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// Some rows of a file for one task: with their text, if several tasks read one file.
struct row_unit {
    std::uint64_t rows = 0;  ///< at most
    std::shared_ptr<const std::string> text{};
    slice place{};
};

/// How a unit ended.
enum class unit_end : std::uint8_t { more, end_of_file };

/// Where the rows of one pass over a file come from, without their type.
class unit_source {
public:
    unit_source() = default;
    unit_source(const unit_source&) = delete;
    unit_source& operator=(const unit_source&) = delete;
    virtual ~unit_source() = default;

    /// Whether only one task at a time may take rows.
    [[nodiscard]] virtual bool is_exclusive() const = 0;

    /// The next rows; none at the end of the file. One caller at a time.
    [[nodiscard]] virtual result<std::optional<row_unit>> cut(std::uint64_t rows) = 0;

    /// How many rows were given out so far.
    [[nodiscard]] virtual std::uint64_t row_count() const = 0;
};

/// The same with their type. `Visitor` is called as
/// `visit(Row&, read_status, reader)` and returns whether to go on; `visit.wants(row)` says before
/// whether the row has to be read at all, and `visit.unwanted(row, most)` how many from it on do not.
template <declared_row Row, typename Visitor>
class row_supply : public unit_source {
public:
    /// Reads the rows of a unit. Several at once, unless exclusive.
    [[nodiscard]] virtual result<unit_end> read(const row_unit& unit, Visitor& visit) = 0;

    /// A single row, from the bytes that were kept of it; null if it cannot be read.
    [[nodiscard]] virtual std::unique_ptr<owned_row<Row>> own(std::string_view raw, row_number row,
                                                              std::uint64_t line) = 0;
};

/// Reads up to so many rows and shows those that are wanted.
template <declared_row Row, typename Reader, typename Visitor>
[[nodiscard]] result<unit_end> read_rows(Reader& from, std::uint64_t rows, Visitor& visit) {
    Row row{};
    for (std::uint64_t i = 0; i < rows; ++i) {
        if constexpr (requires { from.skip(rows); })
            if (visit.is_selective()) {
                const auto passed = visit.unwanted(row_number{to_number(from.row()) + 1}, rows - i);
                if (passed > 0) {
                    const auto status = from.skip(passed);
                    if (status == read_status::end) return unit_end::end_of_file;
                    if (status == read_status::failure) return std::unexpected{from.error()};
                    i += passed;
                    if (i == rows) break;
                }
            }
        const auto status = from.next(row);
        if (status == read_status::end) return unit_end::end_of_file;
        if (status == read_status::failure) return std::unexpected{from.error()};
        if (!visit(row, status, from)) return unit_end::more;
    }
    return unit_end::more;
}

}  // namespace bulk
