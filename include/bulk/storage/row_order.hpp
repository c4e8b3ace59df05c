// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/record_place.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk {

/// Position of a record in the order of a query: by a number or a text, then by its place.
struct row_order {
    std::int64_t number = 0;
    std::string text{};
    record_place place{};

    auto operator<=>(const row_order&) const = default;
};

/// Rows that did not fail come first.
[[nodiscard]] constexpr std::int64_t order_of(std::optional<error_type> failure) {
    return failure ? 1 + static_cast<std::int64_t>(*failure) : 0;
}

/// Rows that did not start come first.
[[nodiscard]] constexpr std::int64_t order_of(std::optional<timestamp> started) {
    return started ? started->time_since_epoch().count() : std::numeric_limits<std::int64_t>::min();
}

/// The position of a record. Its `row_id` is the id of its row.
[[nodiscard]] inline row_order order_of(const row_record& record, row_sort sort) {
    row_order order{.place = {record.row, record.step}};
    switch (sort) {
        case row_sort::row:
            break;
        case row_sort::row_id:
            order.text = record.row_id;
            break;
        case row_sort::step:
            order.number = to_number(record.step);
            break;
        case row_sort::state:
            order.number = std::to_underlying(record.state);
            break;
        case row_sort::failure:
            order.number = order_of(record.failure);
            break;
        case row_sort::started_at:
            order.number = order_of(record.started_at);
            break;
    }
    return order;
}

/// A cursor: the next page begins behind this record.
[[nodiscard]] inline std::string to_text(const row_order& order) {
    return to_text(
        cursor{.key = concat(order.number, ' ', order.text), .id = to_text(order.place)});
}

[[nodiscard]] inline result<row_order> parse_row_order(std::string_view text, row_sort sort) {
    auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    row_order order;
    const char* const end = at->key.data() + at->key.size();
    const auto [space, status] = std::from_chars(at->key.data(), end, order.number);
    const auto place = parse_place(at->id);
    const bool has_text = space != end && space + 1 != end;
    if (status != std::errc{} || space == end || *space != ' ' || !place ||
        (has_text && sort != row_sort::row_id))
        return unknown_cursor(text);
    order.text = std::string{space + 1, end};
    order.place = *place;
    return order;
}

}  // namespace bulk
