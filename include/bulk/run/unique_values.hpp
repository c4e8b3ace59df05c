// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/run/repeated_value.hpp>
#include <bulk/run/unique_key.hpp>

#include <optional>
#include <vector>

namespace bulk {

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
