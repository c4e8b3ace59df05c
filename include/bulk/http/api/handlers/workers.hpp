// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// Who works on the storage, in whichever process.
[[nodiscard]] inline result<std::vector<worker_record>> workers_of(const backend& to) {
    return to.operations != nullptr ? to.operations->workers() : to.feeds->workers();
}

[[nodiscard]] inline timestamp time_of(const backend& to) {
    return to.operations != nullptr ? to.operations->now() : to.feeds->now();
}

[[nodiscard]] inline json_object shape_of(const worker_record& each, timestamp now) {
    return json_object{}
        .add("id", to_text(each.id))
        .add("kind", each.kind)
        .add("name", each.name)
        .add("host", each.host)
        .add("pid", static_cast<std::int32_t>(each.pid))
        .add("started_at", each.started_at)
        .add("last_seen", each.seen_at)
        .add("is_silent", is_silent(each, now))
        .add("running_operations", each.running_operations)
        .add("running_pages", each.running_pages);
}

[[nodiscard]] inline reply get_workers(call& asked) {
    const auto found = http::asked(workers_of(asked.to));
    if (!found) return std::unexpected{found.error()};
    const auto now = time_of(asked.to);
    return json_response(
        200,
        list_json(json_list(*found, [&](const worker_record& each) { return shape_of(each, now); }),
                  {}, std::uint64_t{found->size()}));
}

}  // namespace bulk::http::api
