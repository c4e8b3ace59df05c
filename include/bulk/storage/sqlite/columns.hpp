// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace bulk::sqlite {

/// Of a table whose fields are read and written together, in one order. Statements are made of them
/// once and kept by whoever runs them.
using column_names = std::span<const std::string_view>;

[[nodiscard]] inline std::string list_of(column_names columns) {
    std::string all;
    for (const auto each : columns) all += concat(all.empty() ? "" : ", ", each);
    return all;
}

/// The first parameter is the first column's value.
[[nodiscard]] inline std::string insert_into(std::string_view table, column_names columns) {
    std::string values;
    for (std::size_t i = 1; i <= columns.size(); ++i) values += concat(i == 1 ? "?" : ", ?", i);
    return concat("INSERT INTO ", table, " (", list_of(columns), ") VALUES (", values, ')');
}

/// All columns but the first `keys`, which say which row; the parameters are the same as above.
[[nodiscard]] inline std::string update_of(std::string_view table, column_names columns,
                                           std::size_t keys) {
    std::string values, which;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto& part = i < keys ? which : values;
        const std::string_view link = i < keys ? " AND " : ", ";
        part += concat(part.empty() ? "" : link, columns[i], " = ?", i + 1);
    }
    return concat("UPDATE ", table, " SET ", values, " WHERE ", which);
}

}  // namespace bulk::sqlite
