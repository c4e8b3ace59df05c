// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/column_type.hpp>
#include <bulk/rows/members.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace bulk {

/// What `BULK_ROW` can say about a column.
struct column_options {
    std::string_view column{};       ///< its name in the file; unset: the member's name
    std::optional<bool> required{};  ///< unset: unless the member is optional
    std::string_view format{};       ///< of a date or time, such as "%d.%m.%Y"; unset: ISO 8601
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
    bool hidden = false;    ///< personal: never shown
    std::string_view format{};
    bool row_id = false;
    bool unique = false;
    std::span<const std::string_view> choices{};  ///< the names of an enum
};

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
                      .hidden = is_hidden<type>,
                      .format = options.format,
                      .row_id = options.row_id,
                      .unique = options.unique,
                      .choices = choices_of<type>()};
    });
    return columns;
}();

template <typename Row>
[[nodiscard]] consteval bool has_twin_columns() {
    if constexpr (declared_row<Row>)
        return has_twins(column_descriptions<Row>);
    else
        return false;  // another sentence says so
}

template <typename Row>
[[nodiscard]] consteval std::size_t row_id_columns() {
    std::size_t count = 0;
    if constexpr (declared_row<Row>)
        for (const auto& column : column_descriptions<Row>) count += column.row_id ? 1U : 0U;
    return count;
}

}  // namespace bulk
