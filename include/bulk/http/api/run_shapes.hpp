// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/any_feed_service.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/http/json_writer.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bulk::http::api {

// What the schemas of the same names say of feeds and their runs.

[[nodiscard]] inline json_object watermark_json(const watermark& mark) {
    json_object shape;
    shape.add("value", mark.value)
        .add_text("run", mark.run ? to_text(*mark.run) : std::string{})
        .add("moved_at", mark.moved_at)
        .add("version", mark.version);
    return shape;
}

[[nodiscard]] inline json_object window_json(const update_window& window) {
    json_object shape;
    shape.add("from", window.from).add("to", window.to);
    return shape;
}

[[nodiscard]] inline json_object text_range_json(const key_range& range, const any_feed& feed) {
    json_object shape;
    shape.add("first", feed.text_of(range.first)).add("last", feed.text_of(range.last));
    return shape;
}

[[nodiscard]] inline json_object item_json(const canonical_item& item) {
    json_object shape;
    shape.add("key", item.key)
        .add_raw("data", item.payload)
        .add("is_deleted", item.is_deleted)
        .add("version", item.version)
        .add("changed_at", item.changed_at);
    return shape;
}

[[nodiscard]] inline json_object run_json(const feed_run& run, const any_feed_service& service) {
    const auto duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(duration_of(run, service.now()));
    json_object shape;
    shape.add("id", to_text(run.id))
        .add("feed", run.feed)
        .add("type", run.type)
        .add("state", service.state_of(run))
        .add_text("started_by", run.started_by)
        .add("trace", run.trace)
        .add("window", window_json(run.window))
        .add("partitions", run.partitions)
        .add("completed", run.completed)
        .add("failed", run.failed)
        .add("estimated", run.estimated)
        .add("records", run.records)
        .add("changed", run.changed)
        .add("consolidated", run.consolidated)
        .add("bad_items", run.bad_items)
        .add("removed", run.removed)
        .add("is_forced", run.is_forced)
        .add("is_capped", run.is_capped)
        .add("watermark_before", run.watermark_before)
        .add("watermark_after", run.watermark_after)
        .add("started_at", run.started_at)
        .add("active_at", run.active_at)
        .add("consolidate_at", run.consolidate_at)
        .add("completed_at", run.completed_at)
        .add("failed_at", run.failed_at)
        .add("cancelled_at", run.cancelled_at)
        .add_text("reason", run.reason)
        .add("duration_ms", std::int64_t{duration.count()});
    return shape;
}

/// `feed` is none when the program does not have it any more.
[[nodiscard]] inline json_object partition_json(const feed_partition& part, const any_feed* feed) {
    json_object shape;
    shape.add("number", part.number)
        .add("name", partition_name(part.number))
        .add("range", feed != nullptr ? text_range_json(part.range, *feed)
                                      : json_object{}
                                            .add("first", std::to_string(part.range.first))
                                            .add("last", std::to_string(part.range.last)))
        .add("estimated", part.estimated)
        .add("state", part.state)
        .add("next_offset", part.next_offset)
        .add("pass", part.pass)
        .add("pages", part.pages)
        .add("records", part.records)
        .add("changed", part.changed)
        .add("attempt", part.attempt)
        .add_text("worker", part.worker)
        .add_text("error", part.error)
        .add("started_at", part.started_at)
        .add("updated_at", part.updated_at)
        .add("completed_at", part.completed_at);
    return shape;
}

}  // namespace bulk::http::api
