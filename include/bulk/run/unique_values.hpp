// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
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
#include <vector>

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

/// Finds rows of a file whose key must be unique and is not; see `seen_keys`.
template <declared_row Row>
class unique_values {
public:
    static constexpr bool is_needed = unique_column<Row> != nullptr;

    void add(const Row& row, row_number number) {
        if constexpr (is_needed)
            if (const auto key = unique_key_of(row)) seen_.add(*key, number);
    }

    /// Every row but the first of those that share a key, once, in the order of the file.
    [[nodiscard]] std::vector<repeated_value> take_repeated() {
        if constexpr (is_needed) return seen_.take_repeated(unique_column<Row>->name);
        return {};
    }

private:
    seen_keys seen_;
};

/// The same for rows that come in the order of the file, at once.
template <declared_row Row>
class unique_in_order {
public:
    [[nodiscard]] std::optional<repeated_value> add(const Row& row, row_number number) {
        if constexpr (unique_column<Row> != nullptr)
            if (const auto key = unique_key_of(row))
                if (const auto first = seen_.add(*key, number))
                    return repeated_value{
                        .row = number, .first = *first, .column = unique_column<Row>->name};
        return std::nullopt;
    }

private:
    seen_keys_in_order seen_;
};

}  // namespace bulk
