// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/members.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace bulk {

/// What `BULK_ROW` can say about a column.
struct column_options {
    std::string_view column{};       ///< its name in the file; unset: the member's name
    std::optional<bool> required{};  ///< unset: unless the member is optional
    bool row_id = false;             ///< the row's business key, searchable
    bool unique = false;             ///< twice in one file is a validation error
};

/// One column as the template, the API and the page show it.
struct column_description {
    std::string_view name{};
    std::string_view member{};
    std::string_view type{};
    bool required = true;
    bool nullable = false;  ///< an empty cell is a value of its own
    bool row_id = false;
    bool unique = false;
    std::span<const std::string_view> choices{};  ///< the names of an enum
};

/// Column names match in any case and with any spaces.
[[nodiscard]] constexpr bool same_column(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (true) {
        while (i < a.size() && a[i] == ' ') ++i;
        while (j < b.size() && b[j] == ' ') ++j;
        if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
        if (lower_case(a[i++]) != lower_case(b[j++])) return false;
    }
}

/// A struct declared with `BULK_ROW`.
template <typename T>
concept declared_row = requires { bulk_columns(std::type_identity<T>{}); };

template <declared_row Row>
inline constexpr auto columns_of = bulk_columns(std::type_identity<Row>{});

template <declared_row Row>
inline constexpr auto column_descriptions = [] {
    std::array<column_description, columns_of<Row>.size> columns{};
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t i) {
        using type = member_type_of<Pointer>;
        const auto& [name, options] = columns_of<Row>.all[i];
        columns[i] = {.name = options.column.empty() ? name : options.column,
                      .member = name,
                      .type = type_name<type>(),
                      .required = options.required.value_or(!is_optional<type>),
                      .nullable = is_optional<type>,
                      .row_id = options.row_id,
                      .unique = options.unique,
                      .choices = choices_of<type>()};
    });
    return columns;
}();

/// Whether two columns would take the same cell of a file. Compares hashes first: 200 columns make
/// 20 000 pairs, and a compiler counts every step.
template <declared_row Row>
[[nodiscard]] consteval bool has_twin_columns() {
    constexpr auto& columns = column_descriptions<Row>;
    std::array<std::uint64_t, columns.size()> hashes{};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        hashes[i] = 14695981039346656037ULL;
        for (const char c : columns[i].name)
            if (c != ' ')
                hashes[i] =
                    (hashes[i] ^ static_cast<unsigned char>(lower_case(c))) * 1099511628211ULL;
        for (std::size_t j = 0; j < i; ++j)
            if (hashes[i] == hashes[j] && same_column(columns[i].name, columns[j].name))
                return true;
    }
    return false;
}

template <declared_row Row>
[[nodiscard]] consteval std::size_t row_id_columns() {
    std::size_t count = 0;
    for (const auto& column : column_descriptions<Row>) count += column.row_id ? 1U : 0U;
    return count;
}

}  // namespace bulk
