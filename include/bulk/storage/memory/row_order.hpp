// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/memory/row_place.hpp>
#include <bulk/storage/memory/row_table.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk::memory {

/// Where a record stands in the order of a query: by a number or a text, then by its place.
struct row_order {
    std::int64_t number = 0;
    std::string text{};
    row_place place{};

    auto operator<=>(const row_order&) const = default;
};

/// Of a record that there is.
[[nodiscard]] inline row_order order_of(const row_table& rows, row_place at, row_sort sort) {
    row_order order{.place = at};
    const kept_record* apart = rows.find(at);
    switch (sort) {
        case row_sort::row:
            break;
        case row_sort::row_id:
            order.text = rows.row_id(at.row());
            break;
        case row_sort::step:
            order.number = static_cast<std::int64_t>(at.slot());
            break;
        case row_sort::state:
            order.number =
                static_cast<std::int64_t>(apart != nullptr ? apart->state() : row_state::completed);
            break;
        case row_sort::failure:
            if (const auto failure = apart != nullptr ? apart->failure() : std::nullopt)
                order.number = 1 + static_cast<std::int64_t>(*failure);
            break;
        case row_sort::started_at: {
            const auto* run = apart == nullptr ? rows.steps()[at.slot()].packed(at.row()) : nullptr;
            const auto started = apart != nullptr ? apart->started_at()
                                 : run != nullptr ? std::optional{run->started_at}
                                                  : std::nullopt;
            order.number = started ? started->time_since_epoch().count()
                                   : std::numeric_limits<std::int64_t>::min();
            break;
        }
    }
    return order;
}

/// A cursor.
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
        return fail(errc::invalid_argument,
                    concat("cursor '", text.substr(0, 64),
                           "' is not one of ours: pass on what `next` of the page before said"));
    order.text = std::string{space + 1, end};
    order.place = *place;
    return order;
}

}  // namespace bulk::memory
