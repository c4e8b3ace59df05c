// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/event_hub.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::http::api {

[[nodiscard]] inline or_problem<std::vector<event>> read_events(call& asked,
                                                                std::optional<operation_id> of,
                                                                std::optional<std::uint64_t> after,
                                                                std::uint32_t limit) {
    return http::asked(asked.to.events->read(of, after, limit));
}

/// `unset` is where a list begins that is asked for without `after`; none: with the newest.
[[nodiscard]] inline reply list_events(call& asked, std::optional<operation_id> of,
                                       std::optional<std::uint64_t> unset) {
    std::optional<std::uint64_t> after;
    std::optional<std::uint32_t> limit;
    if (auto read = all_of({asked.read("after", after), asked.read("limit", limit)}); !read)
        return std::unexpected{std::move(read).error()};
    const auto size = limit.value_or(100);
    if (auto fits = http::asked(check_page_size(size), "limit"); !fits)
        return std::unexpected{std::move(fits).error()};
    if (!after) after = unset;
    const auto found = read_events(asked, of, after, size);
    if (!found) return std::unexpected{found.error()};
    const bool has_more = after && found->size() == size;
    return list_response(bodies_of(*found, event_body),
                         has_more ? std::to_string(found->back().sequence) : std::string{},
                         total_of(asked, found->size(), found->size() == size));
}

[[nodiscard]] inline or_problem<std::optional<operation_id>> wanted_operation(const call& asked) {
    const auto text = asked.query("operation");
    if (!text) return std::nullopt;
    auto id = http::asked(parse_operation_id(*text), "operation");
    if (!id) return std::unexpected{std::move(id).error()};
    return *id;
}

[[nodiscard]] inline reply get_events(call& asked) {
    const auto of = wanted_operation(asked);
    if (!of) return std::unexpected{of.error()};
    return list_events(asked, *of, std::nullopt);
}

[[nodiscard]] inline reply get_operation_events(call& asked) {
    const auto id = asked.id();
    if (!id) return std::unexpected{id.error()};
    if (auto known = http::asked(asked.service().get(*id), "id"); !known)
        return std::unexpected{std::move(known).error()};
    return list_events(asked, *id, 0);
}

[[nodiscard]] inline reply stream_events(call& asked) {
    const auto of = wanted_operation(asked);
    if (!of) return std::unexpected{of.error()};
    std::optional<std::uint64_t> after;
    if (auto read = asked.read("after", after); !read)
        return std::unexpected{std::move(read).error()};
    if (const auto last = asked.headers().get("last-event-id"); !last.empty()) {
        auto number = read_number<std::uint64_t>(last, "Last-Event-ID");
        if (!number) return std::unexpected{std::move(number).error()};
        after = *number;
    }
    bool is_lost = false;
    if (after && *after > asked.to.events->newest()) {
        // We may be a little behind the storage; an event that it does not have either is of another.
        const auto last = read_events(asked, std::nullopt, std::nullopt, 1);
        if (!last) return std::unexpected{last.error()};
        is_lost = last->empty() || *after > last->back().sequence;
    }
    response said;
    said.headers.add("Content-Type", "text/event-stream");
    said.headers.add("X-Accel-Buffering", "no");  // nginx would keep events for itself
    said.events = std::make_shared<event_listener>(
        asked.to.events, after.value_or(asked.to.events->newest()), *of, is_lost);
    return said;
}

}  // namespace bulk::http::api
