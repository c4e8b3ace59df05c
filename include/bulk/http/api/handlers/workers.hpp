// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/service.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <vector>

namespace bulk::http::api {

/// Who works on the storage, in whichever process.
[[nodiscard]] inline result<std::vector<worker_record>> workers_of(const backend& to) {
    return to.operations != nullptr ? to.operations->workers() : to.feeds->workers();
}

[[nodiscard]] inline timestamp time_of(const backend& to) {
    return to.operations != nullptr ? to.operations->now() : to.feeds->now();
}

[[nodiscard]] inline bodies::worker worker_body(const worker_record& each, timestamp now) {
    return {.id = each.id.value,
            .kind = each.kind,
            .name = each.name,
            .host = each.host,
            .pid = static_cast<std::int32_t>(each.pid),
            .started_at = each.started_at,
            .last_seen = each.seen_at,
            .is_silent = is_silent(each, now),
            .running_operations = each.running_operations,
            .running_pages = each.running_pages};
}

[[nodiscard]] inline reply get_workers(call& asked) {
    const auto found = http::asked(workers_of(asked.to));
    if (!found) return std::unexpected{found.error()};
    const auto now = time_of(asked.to);
    return list_response(
        bodies_of(*found, [&](const worker_record& each) { return worker_body(each, now); }));
}

}  // namespace bulk::http::api
