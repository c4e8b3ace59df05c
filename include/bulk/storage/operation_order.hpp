// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk {

/// Position of an operation in the order of a query: by a number or a text, then by its id.
struct operation_order {
    std::int64_t number = 0;
    std::string text{};
    operation_id id{};

    auto operator<=>(const operation_order&) const = default;
};

[[nodiscard]] constexpr std::int64_t order_of(timestamp time) {
    return time.time_since_epoch().count();
}

[[nodiscard]] inline operation_order order_of(const operation_record& record, operation_sort sort) {
    switch (sort) {
        case operation_sort::name:
            return {.text = folded(record.name), .id = record.id};
        case operation_sort::state:
            return {.number = std::to_underlying(record.state), .id = record.id};
        case operation_sort::total_rows:
            return {.number = static_cast<std::int64_t>(record.rows.total), .id = record.id};
        case operation_sort::processed_rows:
            return {.number = static_cast<std::int64_t>(record.rows.processed), .id = record.id};
        default:
            return {.number = order_of(record.created_at), .id = record.id};
    }
}

/// The next page begins behind this operation.
[[nodiscard]] inline std::string cursor_of(const operation_record& record, operation_sort sort) {
    const auto at = order_of(record, sort);
    return to_text(cursor{.key = sort == operation_sort::name ? at.text : std::to_string(at.number),
                          .id = to_text(at.id)});
}

[[nodiscard]] inline result<operation_order> parse_operation_order(std::string_view text,
                                                                   operation_sort sort) {
    auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    const auto id = parse_operation_id(at->id);
    if (!id) return std::unexpected{id.error()};
    if (sort == operation_sort::name) return operation_order{.text = std::move(at->key), .id = *id};
    operation_order order{.id = *id};
    const char* const end = at->key.data() + at->key.size();
    const auto [last, status] = std::from_chars(at->key.data(), end, order.number);
    if (status != std::errc{} || last != end)
        return fail(errc::invalid_argument,
                    concat("cursor '", text.substr(0, 64), "' is of another order"));
    return order;
}

}  // namespace bulk
