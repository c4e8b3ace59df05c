// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/any_feed.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bulk::cli {

// Runs of feeds, and what they make, as they are shown.

[[nodiscard]] constexpr tint tint_of(run_state state) {
    switch (state) {
        case run_state::completed:
            return tint::good;
        case run_state::stalled:
            return tint::warning;
        case run_state::consolidation_skipped:
        case run_state::failed:
        case run_state::cancelled:
            return tint::bad;
        default:
            return tint::plain;
    }
}

[[nodiscard]] constexpr tint tint_of(partition_state state) {
    switch (state) {
        case partition_state::completed:
            return tint::good;
        case partition_state::failed:
        case partition_state::cancelled:
            return tint::bad;
        default:
            return tint::plain;
    }
}

/// Of a run that nobody works on any more.
[[nodiscard]] constexpr int exit_code_of(const feed_run& run) {
    if (run.cancelled_at) return exit_code::failed;
    return run.failed > 0 || run.bad_items > 0 ? exit_code::some_failed : exit_code::success;
}

[[nodiscard]] constexpr std::optional<timestamp> end_of(const feed_run& run) {
    if (run.completed_at) return run.completed_at;
    return run.failed_at ? run.failed_at : run.cancelled_at;
}

/// A position in the words of its feed; a number when the program does not have that.
[[nodiscard]] inline std::string place_text(const any_feed* feed, std::int64_t place) {
    return feed == nullptr ? std::to_string(place) : feed->text_of(place);
}

[[nodiscard]] inline json_line json_of(const feed_run& run, run_state state) {
    json_line partitions;
    partitions.add("total", run.partitions)
        .add("completed", run.completed)
        .add("failed", run.failed);
    return line_of("run")
        .add("id", to_text(run.id))
        .add("feed", run.feed)
        .add("run_type", run.type)
        .add("state", state)
        .add("is_active", is_active(run))
        .add("trace", run.trace)
        .add("started_by", run.started_by)
        .add("window_from", run.window.from)
        .add("window_to", run.window.to)
        .add("partitions", partitions)
        .add("estimated", run.estimated)
        .add("is_capped", run.is_capped)
        .add("records", run.records)
        .add("changed", run.changed)
        .add("consolidated", run.consolidated)
        .add("bad_items", run.bad_items)
        .add("removed", run.removed)
        .add("is_forced", run.is_forced)
        .add("reason", run.reason)
        .add("watermark_before", run.watermark_before)
        .add("watermark_after", run.watermark_after)
        .add("started_at", run.started_at)
        .add("active_at", run.active_at)
        .add("ended_at", end_of(run));
}

[[nodiscard]] inline json_line json_of(const feed_partition& part, const any_feed* feed) {
    json_line line;
    line.add("partition", part.number)
        .add("first", place_text(feed, part.range.first))
        .add("last", place_text(feed, part.range.last))
        .add("state", part.state)
        .add("estimated", part.estimated)
        .add("records", part.records)
        .add("changed", part.changed)
        .add("pages", part.pages)
        .add("next_offset", part.next_offset)
        .add("attempt", part.attempt)
        .add("worker", part.worker)
        .add("error", part.error)
        .add("started_at", part.started_at)
        .add("completed_at", part.completed_at);
    return line;
}

[[nodiscard]] inline json_line json_of(const watermark& standing) {
    return line_of("watermark")
        .add("feed", standing.feed)
        .add("watermark", standing.value)
        .add("version", standing.version)
        .add("run", standing.run ? std::optional{to_text(*standing.run)} : std::nullopt)
        .add("moved_at", standing.moved_at);
}

}  // namespace bulk::cli
