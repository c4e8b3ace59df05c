// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/names.hpp>

namespace bulk {

/// Whether a query asks for a run.
[[nodiscard]] inline bool matches(const run_query& query, const feed_run& run) {
    return (query.feed.empty() || same_name(query.feed, run.feed)) &&
           (!query.type || *query.type == run.type) && (!query.active_only || is_active(run)) &&
           (!query.started_from || run.started_at >= *query.started_from) &&
           (!query.started_to || run.started_at <= *query.started_to) &&
           (!query.state || *query.state == state_of(run, query.now, query.stall_after));
}

/// Whether a query asks for an item of its feed.
[[nodiscard]] inline bool matches(const item_query& query, const canonical_item& item) {
    return item.key >= query.from_key && item.version > query.changed_since &&
           (query.with_deleted || !item.is_deleted);
}

}  // namespace bulk
