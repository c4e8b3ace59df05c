// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace bulk::sqlite {

/// One row at one step.
struct row_place {
    row_number row{};
    step_index step{};
    auto operator<=>(const row_place&) const = default;
};

/// Where a record stands in the order of a query: by a number or a text, then by its place.
struct row_order {
    std::int64_t number = 0;
    std::string text{};
    row_place place{};
    auto operator<=>(const row_order&) const = default;
};

/// A cursor.
[[nodiscard]] inline std::string to_text(const row_order& order) {
    return to_text(
        cursor{.key = concat(order.number, ' ', order.text),
               .id = concat(to_number(order.place.row), ':', to_number(order.place.step))});
}

[[nodiscard]] inline result<row_order> parse_row_order(std::string_view text, row_sort sort) {
    auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    const auto refuse = [&] {
        return fail(errc::invalid_argument,
                    concat("cursor '", text.substr(0, 64),
                           "' is not one of ours: pass on what `next` of the page before said"));
    };
    row_order order;
    const char* const end = at->key.data() + at->key.size();
    const auto [space, status] = std::from_chars(at->key.data(), end, order.number);
    if (status != std::errc{} || space == end || *space != ' ') return refuse();
    order.text = std::string{space + 1, end};
    if (!order.text.empty() && sort != row_sort::row_id) return refuse();
    std::uint64_t row = 0;
    std::int16_t step = 0;
    const char* const last = at->id.data() + at->id.size();
    const auto [colon, row_status] = std::from_chars(at->id.data(), last, row);
    if (row_status != std::errc{} || colon == last || *colon != ':') return refuse();
    const auto [rest, step_status] = std::from_chars(colon + 1, last, step);
    if (step_status != std::errc{} || rest != last) return refuse();
    order.place = {row_number{row}, step_index{step}};
    return order;
}

}  // namespace bulk::sqlite
