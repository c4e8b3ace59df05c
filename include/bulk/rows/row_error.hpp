// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bulk {

/// What is wrong with one row of a file, and where.
struct row_error {
    row_number row{};
    std::uint64_t line = 0;  ///< where the row begins, from 1
    std::string column{};    ///< its name in the file; empty when it is about the whole row
    std::string cell{};      ///< what it holds, shortened
    std::string reason{};
    error_type type = error_type::parse;

    bool operator==(const row_error&) const = default;
};

[[nodiscard]] inline std::string to_text(const row_error& error) {
    std::string where = concat("line ", error.line);
    if (!error.column.empty()) where += concat(", column '", error.column, '\'');
    if (!error.cell.empty()) where += concat(", '", error.cell, '\'');
    return concat(where, ": ", error.reason);
}

/// At most 60 bytes of a cell, cut between two characters, for messages.
[[nodiscard]] inline std::string shortened(std::string_view cell) {
    constexpr std::size_t most = 60;
    if (cell.size() <= most) return std::string{cell};
    std::size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(cell[end]) & 0xc0) == 0x80) --end;
    return concat(cell.substr(0, end), "...");
}

}  // namespace bulk
