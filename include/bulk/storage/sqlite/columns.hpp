// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/statement.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
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
template <std::size_t... Counts>
[[nodiscard]] constexpr auto joined(const std::array<std::string_view, Counts>&... lists) {
    std::array<std::string_view, (Counts + ...)> all{};
    auto at = all.begin();
    ((at = std::ranges::copy(lists, at).out), ...);
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

/// A column, and the field of a record that it holds: how the field is bound to a parameter, and read from a row.
template <typename Record>
struct column {
    std::string_view name;
    int (*bind)(const statement& to, int at, const Record& from);
    void (*read)(const statement& from, int at, Record& into);
};

namespace detail {

template <typename Record, typename Field>
Record record_with(Field Record::*);
template <auto Member>
using record_of = decltype(record_with(Member));

}  // namespace detail

/// A member as it is, or a member of a member.
template <auto Member, auto... Within>
[[nodiscard]] consteval auto column_of(std::string_view name) {
    using record = detail::record_of<Member>;
    return column<record>{
        .name = name,
        .bind = [](const statement& to, int at,
                   const record& from) { return to.bind(at, ((from.*Member).*....*Within)); },
        .read = [](const statement& from, int at,
                   record& into) { from.read(at, ((into.*Member).*....*Within)); }};
}

/// What is stored in another form, which `Form::bind` and `Form::read` know.
template <typename Form, auto Member>
[[nodiscard]] consteval auto column_as(std::string_view name) {
    using record = detail::record_of<Member>;
    return column<record>{
        .name = name,
        .bind = [](const statement& to, int at,
                   const record& from) { return Form::bind(to, at, from.*Member); },
        .read = [](const statement& from, int at,
                   record& into) { Form::read(from.view(at), into.*Member); }};
}

/// Text as bytes, which may be invalid UTF-8.
struct as_bytes {
    static int bind(const statement& to, int at, const std::string& text) {
        return to.bind(at, blob{text});
    }
    static void read(std::string_view stored, std::string& text) { text = stored; }
};

template <typename Record, std::size_t Count>
[[nodiscard]] constexpr auto names_of(const std::array<column<Record>, Count>& columns) {
    std::array<std::string_view, Count> names{};
    std::ranges::transform(columns, names.begin(), &column<Record>::name);
    return names;
}

/// Parameters of a statement: the columns of a record.
template <typename Record>
struct fields {
    std::span<const column<Record>> columns;
    const Record& record;

    void bind_to(parameters& values) const {
        for (const auto& each : columns)
            values.add_bound(
                [&](const statement& to, int at) { return each.bind(to, at, record); });
    }
};
template <typename Record, std::size_t Count>
fields(const std::array<column<Record>, Count>&, const Record&) -> fields<Record>;

/// Reads the columns of a record from a row, in which they begin at `first`.
template <typename Record, std::size_t Count>
void read_fields(const row_stream& row, const std::array<column<Record>, Count>& columns,
                 Record& into, std::size_t first = 0) {
    for (const auto& each : columns) each.read(row.values(), static_cast<int>(first++), into);
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
