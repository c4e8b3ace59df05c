// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/storage/record_place.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace bulk {

/// Position of an earlier failure in the retry history: by row, then step, then attempt.
struct retry_order {
    record_place place{};
    std::uint32_t attempt = 0;

    auto operator<=>(const retry_order&) const = default;
};

/// Whether a query asks for an earlier failure.
[[nodiscard]] inline bool matches(const retry_history_query& query, const retry_order& order) {
    return (!query.row || order.place.row() == *query.row) &&
           (!query.step || order.place.step() == *query.step) &&
           (!query.retry_attempt || order.attempt == *query.retry_attempt);
}

/// The next page begins behind this entry.
[[nodiscard]] inline std::string cursor_of(const retry_entry& entry) {
    return to_text(cursor{
        .id = concat(to_number(entry.row), ' ', to_number(entry.step), ' ', entry.retry_attempt)});
}

[[nodiscard]] inline result<retry_order> parse_retry_order(std::string_view text) {
    const auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    std::uint64_t row = 0;
    std::int16_t step = 0;
    std::uint32_t attempt = 0;
    const char* next = at->id.data();
    const char* const end = next + at->id.size();
    const auto take = [&](auto& into) {
        if (next == nullptr) return;
        if (next != end && *next == ' ') ++next;
        const auto [last, status] = std::from_chars(next, end, into);
        next = status == std::errc{} ? last : nullptr;
    };
    take(row);
    take(step);
    take(attempt);
    if (next != end) return unknown_cursor(text);
    return retry_order{.place = {row_number{row}, step_index{step}}, .attempt = attempt};
}

}  // namespace bulk
