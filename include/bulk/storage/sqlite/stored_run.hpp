// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>

#include <tuple>

namespace bulk::sqlite {

/// The columns of `bulk_feed_runs` that are fields of a run, and which field each holds. `number` comes first and
/// is given by the table.
struct stored_run {
    static constexpr std::tuple all{
        column{"number", &feed_run::number},
        column{"id", &feed_run::id},
        column{"feed_number", &feed_run::feed_number},
        column{"active_at", &feed_run::active_at},
        column{"completed", &feed_run::completed},
        column{"failed", &feed_run::failed},
        column{"records", &feed_run::records},
        column{"changed", &feed_run::changed},
        column{"batches", &feed_run::batches},
        column{"open_batches", &feed_run::open_batches},
        column{"consolidated", &feed_run::consolidated},
        column{"bad_items", &feed_run::bad_items},
        column{"keyless", &feed_run::keyless},
        column{"removed", &feed_run::removed},
        column{"consolidate_at", &feed_run::consolidate_at},
        column{"is_forced", &feed_run::is_forced},
        column{"consolidation_started_at", &feed_run::consolidation_started_at},
        column{"is_handed_out", &feed_run::is_handed_out},
        column{"completed_at", &feed_run::completed_at},
        column{"failed_at", &feed_run::failed_at},
        column{"cancelled_at", &feed_run::cancelled_at},
        column{"watermark_before", &feed_run::watermark_before},
        column{"watermark_after", &feed_run::watermark_after},
        column{"type", &feed_run::type},
        column{"window_from", within(&feed_run::window, &update_window::from)},
        column{"window_to", within(&feed_run::window, &update_window::to)},
        column{"started_at", &feed_run::started_at},
        column{"partitions", &feed_run::partitions},
        column{"estimated", &feed_run::estimated},
        column{"is_capped", &feed_run::is_capped},
        column{"min_success_ratio", within(&feed_run::rules, &run_rules::min_success_ratio)},
        column{"partial_delay", within(&feed_run::rules, &run_rules::partial_delay)},
        column{"max_deliveries", within(&feed_run::rules, &run_rules::max_deliveries)},
        column{"tolerate_bad_items", within(&feed_run::rules, &run_rules::tolerate_bad_items)},
        column{"feed_name", &feed_run::feed},
        column{"trace", &feed_run::trace},
        column{"started_by", &feed_run::started_by},
        column{"cursor", &feed_run::cursor},
        column{"reason", &feed_run::reason},
    };
    static constexpr auto columns = names_of(all);

    [[nodiscard]] static feed_run from(const row_stream& row) {
        feed_run run;
        std::apply([&](auto&... into) { row.read(into...); }, fields_of(all, run));
        return run;
    }
};

/// The same of a partition, but for its run.
struct stored_partition {
    static constexpr std::tuple all{
        column{"number", &feed_partition::number},
        column{"state", &feed_partition::state},
        column{"due", &feed_partition::due},
        column{"leased_until", &feed_partition::leased_until},
        column{"fence", &feed_partition::fence},
        column{"next_offset", &feed_partition::next_offset},
        column{"pass", &feed_partition::pass},
        column{"counted", &feed_partition::counted},
        column{"pages", &feed_partition::pages},
        column{"records", &feed_partition::records},
        column{"changed", &feed_partition::changed},
        column{"attempt", &feed_partition::attempt},
        column{"deliveries", &feed_partition::deliveries},
        column{"started_at", &feed_partition::started_at},
        column{"updated_at", &feed_partition::updated_at},
        column{"completed_at", &feed_partition::completed_at},
        column{"first", within(&feed_partition::range, &key_range::first)},
        column{"last", within(&feed_partition::range, &key_range::last)},
        column{"estimated", &feed_partition::estimated},
        column{"most_records", &feed_partition::most_records},
        column{"worker", &feed_partition::worker},
        column{"token", &feed_partition::token},
        column{"error", &feed_partition::error},
    };
    static constexpr auto columns = names_of(all);

    [[nodiscard]] static feed_partition from(const row_stream& row, run_id run) {
        feed_partition part{.run = run};
        std::apply([&](auto&... into) { row.read(into...); }, fields_of(all, part));
        return part;
    }
};

}  // namespace bulk::sqlite
