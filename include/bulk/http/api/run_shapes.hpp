// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/http/api/bodies/feed.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bulk::http::api {

// The bodies of feeds and their runs, from what is stored.

[[nodiscard]] inline bodies::watermark watermark_body(const watermark& mark) {
    return {.value = mark.value,
            .run = mark.run ? std::optional{mark.run->value} : std::nullopt,
            .moved_at = mark.moved_at,
            .version = mark.version};
}

[[nodiscard]] inline bodies::text_range text_range_body(const key_range& range,
                                                        const any_feed& feed) {
    return {feed.text_of(range.first), feed.text_of(range.last)};
}

[[nodiscard]] inline bodies::item item_body(const canonical_item& item) {
    return {.key = item.key,
            .data = {item.payload},
            .is_deleted = item.is_deleted,
            .version = item.version,
            .changed_at = item.changed_at};
}

[[nodiscard]] inline bodies::run run_body(const feed_run& run, const bulk::feed_service& service) {
    using namespace std::chrono;
    return {.id = run.id.value,
            .feed = run.feed,
            .type = run.type,
            .state = service.state_of(run),
            .started_by = bodies::given(run.started_by),
            .trace = run.trace,
            .window = {run.window.from, run.window.to},
            .partitions = run.partitions,
            .completed = run.completed,
            .failed = run.failed,
            .estimated = run.estimated,
            .records = run.records,
            .changed = run.changed,
            .consolidated = run.consolidated,
            .bad_items = run.bad_items,
            .removed = run.removed,
            .is_forced = run.is_forced,
            .is_capped = run.is_capped,
            .watermark_before = run.watermark_before,
            .watermark_after = run.watermark_after,
            .started_at = run.started_at,
            .active_at = run.active_at,
            .consolidate_at = run.consolidate_at,
            .completed_at = run.completed_at,
            .failed_at = run.failed_at,
            .cancelled_at = run.cancelled_at,
            .reason = bodies::given(run.reason),
            .duration_ms = duration_cast<milliseconds>(duration_of(run, service.now())).count()};
}

/// `feed` is none when the program does not have it any more.
[[nodiscard]] inline bodies::partition partition_body(const feed_partition& part,
                                                      const any_feed* feed) {
    const auto& range = part.range;
    return {.number = part.number,
            .name = partition_name(part.number),
            .range = feed != nullptr ? text_range_body(range, *feed)
                                     : bodies::text_range{std::to_string(range.first),
                                                          std::to_string(range.last)},
            .estimated = part.estimated,
            .state = part.state,
            .next_offset = part.next_offset,
            .pass = part.pass,
            .pages = part.pages,
            .records = part.records,
            .changed = part.changed,
            .attempt = part.attempt,
            .worker = bodies::given(part.worker),
            .error = bodies::given(part.error),
            .started_at = part.started_at,
            .updated_at = part.updated_at,
            .completed_at = part.completed_at};
}

}  // namespace bulk::http::api
