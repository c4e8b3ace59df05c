// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk {

// Cursors of feeds: runs are listed by number, the greatest first, and items of the canonical set by key.

/// The next page begins with the run before this one.
[[nodiscard]] inline std::string cursor_of(const feed_run& run) {
    return to_text(cursor{.key = std::to_string(run.number), .id = to_text(run.id)});
}

[[nodiscard]] inline result<std::uint64_t> parse_run_cursor(std::string_view text) {
    const auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    std::uint64_t number = 0;
    const char* const end = at->key.data() + at->key.size();
    if (const auto [last, status] = std::from_chars(at->key.data(), end, number);
        status != std::errc{} || last != end)
        return unknown_cursor(text);
    return number;
}

/// The next page begins behind this item.
[[nodiscard]] inline std::string cursor_of(const canonical_item& item) {
    return to_text(cursor{.key = item.key});
}

[[nodiscard]] inline result<std::string> parse_item_cursor(std::string_view text) {
    auto at = parse_cursor(text);
    if (!at) return std::unexpected{at.error()};
    return std::move(at->key);
}

}  // namespace bulk
