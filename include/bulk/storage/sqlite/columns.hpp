// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace bulk::sqlite {

/// Of a table whose fields are read and written together, in one order. Statements are made of them
/// once and kept by whoever runs them.
using column_names = std::span<const std::string_view>;

[[nodiscard]] inline std::string list_of(column_names columns) {
    std::string all;
    for (const auto each : columns) all += concat(all.empty() ? "" : ", ", each);
    return all;
}

/// Another expression for a column.
struct changed_column {
    std::string_view name;
    std::string_view value;
};

/// The checksum of columns, some of which are about to change.
[[nodiscard]] inline std::string seal_of(column_names columns,
                                         std::initializer_list<changed_column> changes = {}) {
    std::string all = "bulk_seal(";
    for (std::string_view each : columns) {
        if (all.back() != '(') all += ", ";
        for (const auto& [name, value] : changes)
            if (name == each) each = value;
        all += each;
    }
    return all + ')';
}

/// The same, made at compile time.
template <const auto& Columns>
inline constexpr auto seal_bytes = [] {
    constexpr std::string_view head = "bulk_seal(", link = ", ";
    constexpr auto size = [=] {
        auto all = head.size() + (Columns.size() - 1) * link.size() + 1;
        for (const auto each : Columns) all += each.size();
        return all;
    }();
    std::array<char, size> bytes{};
    auto* at = std::ranges::copy(head, bytes.data()).out;
    for (std::size_t i = 0; i < Columns.size(); ++i) {
        if (i > 0) at = std::ranges::copy(link, at).out;
        at = std::ranges::copy(Columns[i], at).out;
    }
    *at = ')';
    return bytes;
}();
template <const auto& Columns>
inline constexpr std::string_view sealed{seal_bytes<Columns>.data(), seal_bytes<Columns>.size()};

/// Fields of a record in the order of its columns: references to what is stored as it is, values of what
/// is stored in another form.
template <typename... Fields>
[[nodiscard]] std::tuple<Fields...> column_values(Fields&&... fields) {
    return {std::forward<Fields>(fields)...};
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
