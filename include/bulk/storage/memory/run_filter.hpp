// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

namespace bulk::memory {

/// Whether a query asks for a run.
[[nodiscard]] inline bool matches(const run_query& query, const feed_run& run) {
    return (query.feed.empty() || same_name(query.feed, run.feed)) &&
           (!query.type || *query.type == run.type) && (!query.active_only || is_active(run)) &&
           (!query.started_from || run.started_at >= *query.started_from) &&
           (!query.started_to || run.started_at <= *query.started_to) &&
           (!query.state || *query.state == state_of(run, query.now, query.stall_after));
}

/// Runs are listed by their number, the greatest first.
[[nodiscard]] inline std::string cursor_behind(const feed_run& run) {
    return to_text(cursor{.key = std::to_string(run.number), .id = to_text(run.id)});
}

/// The number before which a query goes on; of a cursor that is none of these, as if there were none.
[[nodiscard]] inline std::uint64_t number_before(const run_query& query) {
    auto number = std::numeric_limits<std::uint64_t>::max();
    if (const auto at = parse_cursor(query.after)) {
        const char* const end = at->key.data() + at->key.size();
        std::uint64_t read = 0;
        if (const auto [last, status] = std::from_chars(at->key.data(), end, read);
            status == std::errc{} && last == end)
            number = read;
    }
    return number;
}

}  // namespace bulk::memory
