// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/shapes.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::http::api::bulksharp {

/// Events of operations: without `since` the newest, else the next. Those of a feed's runs are left
/// out, since BulkSharp has no feeds; whoever reads on is never left standing in front of them.
[[nodiscard]] inline or_problem<std::vector<event>> events_since(call& asked,
                                                                 std::optional<operation_id> of,
                                                                 std::optional<std::uint64_t> since,
                                                                 std::size_t limit) {
    std::vector<event> all;
    while (true) {
        auto some = read_events(asked, of, since, largest_page);
        if (!some) return std::unexpected{std::move(some).error()};
        for (auto& each : *some) {
            if (since) since = each.sequence;
            if (!is_of_run(each.kind)) all.push_back(std::move(each));
            if (since && all.size() == limit) return all;
        }
        if (!since || some->size() < largest_page) break;
    }
    if (all.size() > limit) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(limit));
    return all;
}

[[nodiscard]] inline reply events_response(call& asked, std::optional<operation_id> of) {
    const auto since = number_parameter<std::int64_t>(asked, "since");
    if (!since) return std::unexpected{since.error()};
    const auto limit = number_parameter<std::int32_t>(asked, "limit");
    if (!limit) return std::unexpected{limit.error()};
    std::optional<std::uint64_t> after;
    if (*since) after = static_cast<std::uint64_t>(std::max<std::int64_t>(**since, 0));
    const auto found = events_since(
        asked, of, after, static_cast<std::size_t>(std::clamp(limit->value_or(100), 1, 500)));
    if (!found) return std::unexpected{found.error()};
    return answer(bodies_of(*found, operation_event_body));
}
[[nodiscard]] inline reply get_events(call& asked) { return events_response(asked, std::nullopt); }
[[nodiscard]] inline reply get_bulk_events(call& asked) {
    return events_response(asked, bulk_id(asked));
}

}  // namespace bulk::http::api::bulksharp
