// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/pii.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/to_text.hpp>
#include <bulk/run/repeated_value.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace bulk {

namespace detail {

/// None for a key that is an empty optional.
template <typename Value>
[[nodiscard]] std::optional<key_hash> hash_of_value(const Value& value) {
    if constexpr (is_optional<Value>) {
        return value ? hash_of_value(*value) : std::nullopt;
    } else if constexpr (is_pii<Value>) {
        return hash_of_value(value.reveal());
    } else {
        const std::string text{to_text(value)};
        return key_hash::of(text);
    }
}

}  // namespace detail

template <declared_row Row>
inline constexpr const column_description* unique_column = [] {
    const auto& columns = column_descriptions<Row>;
    const auto found = std::ranges::find(columns, true, &column_description::unique);
    return found == columns.end() ? nullptr : &*found;
}();

template <declared_row Row>
[[nodiscard]] std::optional<key_hash> unique_key_of(const Row& row) {
    std::optional<key_hash> found;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t column) {
        if (column_descriptions<Row>[column].unique) found = detail::hash_of_value(row.*Pointer);
    });
    return found;
}

}  // namespace bulk
