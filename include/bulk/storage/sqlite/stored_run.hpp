// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>

#include <array>
#include <string_view>
#include <tuple>

namespace bulk::sqlite {

/// How a run of a feed is kept. `number` comes first and is given by the table.
struct stored_run {
    static constexpr std::array<std::string_view, 39> columns{
        "number",
        "id",
        "feed_number",
        "active_at",
        "completed",
        "failed",
        "records",
        "changed",
        "batches",
        "open_batches",
        "consolidated",
        "bad_items",
        "keyless",
        "removed",
        "consolidate_at",
        "is_forced",
        "consolidation_started_at",
        "is_handed_out",
        "completed_at",
        "failed_at",
        "cancelled_at",
        "watermark_before",
        "watermark_after",
        "type",
        "window_from",
        "window_to",
        "started_at",
        "partitions",
        "estimated",
        "is_capped",
        "min_success_ratio",
        "partial_delay",
        "max_deliveries",
        "tolerate_bad_items",
        "feed_name",
        "trace",
        "started_by",
        "cursor",
        "reason",
    };

    /// In the order of the columns.
    template <typename Run>
    [[nodiscard]] static auto fields(Run& run) {
        return std::tie(run.number, run.id, run.feed_number, run.active_at, run.completed,
                        run.failed, run.records, run.changed, run.batches, run.open_batches,
                        run.consolidated, run.bad_items, run.keyless, run.removed,
                        run.consolidate_at, run.is_forced, run.consolidation_started_at,
                        run.is_handed_out, run.completed_at, run.failed_at, run.cancelled_at,
                        run.watermark_before, run.watermark_after, run.type, run.window.from,
                        run.window.to, run.started_at, run.partitions, run.estimated, run.is_capped,
                        run.rules.min_success_ratio, run.rules.partial_delay,
                        run.rules.max_deliveries, run.rules.tolerate_bad_items, run.feed, run.trace,
                        run.started_by, run.cursor, run.reason);
    }

    [[nodiscard]] static feed_run from(const row_stream& row) {
        feed_run run;
        std::apply([&](auto&... into) { row.read(into...); }, fields(run));
        return run;
    }
};

/// How a partition is kept, but for its run.
struct stored_partition {
    static constexpr std::array<std::string_view, 23> columns{
        "number",     "state",        "due",        "leased_until", "fence",   "next_offset",
        "pass",       "counted",      "pages",      "records",      "changed", "attempt",
        "deliveries", "started_at",   "updated_at", "completed_at", "first",   "last",
        "estimated",  "most_records", "worker",     "token",        "error",
    };

    template <typename Partition>
    [[nodiscard]] static auto fields(Partition& part) {
        return std::tie(part.number, part.state, part.due, part.leased_until, part.fence,
                        part.next_offset, part.pass, part.counted, part.pages, part.records,
                        part.changed, part.attempt, part.deliveries, part.started_at,
                        part.updated_at, part.completed_at, part.range.first, part.range.last,
                        part.estimated, part.most_records, part.worker, part.token, part.error);
    }

    [[nodiscard]] static feed_partition from(const row_stream& row, run_id run) {
        feed_partition part{.run = run};
        std::apply([&](auto&... into) { row.read(into...); }, fields(part));
        return part;
    }
};

}  // namespace bulk::sqlite
