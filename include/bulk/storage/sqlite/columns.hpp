// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Of a table whose fields are read and written together, in one order. Statements are made of them
/// once and kept by whoever runs them.
using column_names = std::span<const std::string_view>;

[[nodiscard]] inline std::string list_of(column_names columns) {
    std::string all;
    for (const auto each : columns) all += concat(all.empty() ? "" : ", ", each);
    return all;
}

/// Lists of columns one behind the other.
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr auto joined(const std::array<std::string_view, A>& first,
                                    const std::array<std::string_view, B>& second) {
    std::array<std::string_view, A + B> all{};
    std::ranges::copy(second, std::ranges::copy(first, all.begin()).out);
    return all;
}

/// Another expression for a column.
struct changed_column {
    std::string_view name;
    std::string_view value;
};

/// The checksum of columns, some of which are about to change.
[[nodiscard]] inline std::string seal_of(column_names columns,
                                         std::span<const changed_column> changes) {
    std::string all = "bulk_seal(";
    for (std::string_view each : columns) {
        if (all.back() != '(') all += ", ";
        for (const auto& [name, value] : changes)
            if (name == each) each = value;
        all += each;
    }
    return all + ')';
}

[[nodiscard]] inline std::string seal_of(column_names columns,
                                         std::initializer_list<changed_column> changes) {
    return seal_of(columns, std::span{changes.begin(), changes.end()});
}

/// For SET.
[[nodiscard]] inline std::string assigned(std::span<const changed_column> changes) {
    std::string all;
    for (const auto& [name, value] : changes)
        all += concat(all.empty() ? "" : ", ", name, " = ", value);
    return all;
}

/// The checksum of what is not changed, made at compile time.
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

/// A column and how its field is found in a record: a pointer to the member, or a function.
template <typename Find>
struct column {
    std::string_view name;
    Find find;
};

/// A member of a member.
template <typename Outer, typename Inner>
[[nodiscard]] constexpr auto within(Outer outer, Inner inner) {
    return [=](auto& record) -> auto& { return record.*outer.*inner; };
}
/// What is stored in another form.
template <typename Form, typename Member>
[[nodiscard]] constexpr auto stored_as(Member member) {
    return [=](auto& record) { return Form{record.*member}; };
}

/// The names of some columns, and their fields of a record, in one order.
template <typename... Find>
[[nodiscard]] constexpr auto names_of(const std::tuple<column<Find>...>& columns) {
    return std::apply(
        [](const auto&... each) {
            return std::array<std::string_view, sizeof...(Find)>{each.name...};
        },
        columns);
}
template <typename... Find, typename Record>
[[nodiscard]] auto fields_of(const std::tuple<column<Find>...>& columns, Record& record) {
    return std::apply(
        [&](const auto&... each) { return column_values(std::invoke(each.find, record)...); },
        columns);
}

/// The first parameter is the first column's value.
[[nodiscard]] inline std::string insert_into(std::string_view table, column_names columns) {
    std::string values;
    for (std::size_t i = 1; i <= columns.size(); ++i) values += concat(i == 1 ? "?" : ", ?", i);
    return concat("INSERT INTO ", table, " (", list_of(columns), ") VALUES (", values, ')');
}

/// A column for the checksum of others.
struct seal_column {
    std::string_view name;
    column_names covers;
};

/// An insert, or what `verb` says, with checksums. The parameters are those of the columns.
[[nodiscard]] inline std::string insert_sealed(std::string_view verb, std::string_view table,
                                               column_names columns,
                                               std::initializer_list<seal_column> seals) {
    std::vector<std::string> parameters;
    for (std::size_t i = 1; i <= columns.size(); ++i) parameters.push_back(concat('?', i));
    std::vector<changed_column> bound;
    for (std::size_t i = 0; i < columns.size(); ++i) bound.push_back({columns[i], parameters[i]});
    std::string names = list_of(columns), values;
    for (const auto& each : parameters) values += concat(values.empty() ? "" : ", ", each);
    for (const auto& [name, covers] : seals) {
        names += concat(", ", name);
        values += concat(", ", seal_of(covers, bound));
    }
    return concat(verb, " INTO ", table, " (", names, ") VALUES (", values, ')');
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
