// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>

namespace bulk::sqlite {

/// The columns of `bulk_feed_runs` that are fields of a run, and which field each holds. `number` comes first and
/// is given by the table.
struct stored_run {
    static constexpr std::array all{
        column_of<&feed_run::number>("number"),
        column_of<&feed_run::id>("id"),
        column_of<&feed_run::feed_number>("feed_number"),
        column_of<&feed_run::active_at>("active_at"),
        column_of<&feed_run::completed>("completed"),
        column_of<&feed_run::failed>("failed"),
        column_of<&feed_run::records>("records"),
        column_of<&feed_run::changed>("changed"),
        column_of<&feed_run::batches>("batches"),
        column_of<&feed_run::open_batches>("open_batches"),
        column_of<&feed_run::consolidated>("consolidated"),
        column_of<&feed_run::bad_items>("bad_items"),
        column_of<&feed_run::keyless>("keyless"),
        column_of<&feed_run::removed>("removed"),
        column_of<&feed_run::consolidate_at>("consolidate_at"),
        column_of<&feed_run::is_forced>("is_forced"),
        column_of<&feed_run::consolidation_started_at>("consolidation_started_at"),
        column_of<&feed_run::is_handed_out>("is_handed_out"),
        column_of<&feed_run::completed_at>("completed_at"),
        column_of<&feed_run::failed_at>("failed_at"),
        column_of<&feed_run::cancelled_at>("cancelled_at"),
        column_of<&feed_run::watermark_before>("watermark_before"),
        column_of<&feed_run::watermark_after>("watermark_after"),
        column_of<&feed_run::type>("type"),
        column_of<&feed_run::window, &update_window::from>("window_from"),
        column_of<&feed_run::window, &update_window::to>("window_to"),
        column_of<&feed_run::started_at>("started_at"),
        column_of<&feed_run::partitions>("partitions"),
        column_of<&feed_run::estimated>("estimated"),
        column_of<&feed_run::is_capped>("is_capped"),
        column_of<&feed_run::rules, &run_rules::min_success_ratio>("min_success_ratio"),
        column_of<&feed_run::rules, &run_rules::partial_delay>("partial_delay"),
        column_of<&feed_run::rules, &run_rules::max_deliveries>("max_deliveries"),
        column_of<&feed_run::rules, &run_rules::tolerate_bad_items>("tolerate_bad_items"),
        column_of<&feed_run::feed>("feed_name"),
        column_of<&feed_run::trace>("trace"),
        column_of<&feed_run::started_by>("started_by"),
        column_of<&feed_run::cursor>("cursor"),
        column_of<&feed_run::reason>("reason"),
    };
    static constexpr auto columns = names_of(all);

    [[nodiscard]] static feed_run from(const row_stream& row) {
        feed_run run;
        read_fields(row, all, run);
        return run;
    }
};

/// The same of a partition, but for its run.
struct stored_partition {
    static constexpr std::array all{
        column_of<&feed_partition::number>("number"),
        column_of<&feed_partition::state>("state"),
        column_of<&feed_partition::due>("due"),
        column_of<&feed_partition::leased_until>("leased_until"),
        column_of<&feed_partition::fence>("fence"),
        column_of<&feed_partition::next_offset>("next_offset"),
        column_of<&feed_partition::pass>("pass"),
        column_of<&feed_partition::counted>("counted"),
        column_of<&feed_partition::pages>("pages"),
        column_of<&feed_partition::records>("records"),
        column_of<&feed_partition::changed>("changed"),
        column_of<&feed_partition::attempt>("attempt"),
        column_of<&feed_partition::deliveries>("deliveries"),
        column_of<&feed_partition::started_at>("started_at"),
        column_of<&feed_partition::updated_at>("updated_at"),
        column_of<&feed_partition::completed_at>("completed_at"),
        column_of<&feed_partition::range, &key_range::first>("first"),
        column_of<&feed_partition::range, &key_range::last>("last"),
        column_of<&feed_partition::estimated>("estimated"),
        column_of<&feed_partition::most_records>("most_records"),
        column_of<&feed_partition::worker>("worker"),
        column_of<&feed_partition::token>("token"),
        column_of<&feed_partition::error>("error"),
    };
    static constexpr auto columns = names_of(all);

    [[nodiscard]] static feed_partition from(const row_stream& row, run_id run) {
        feed_partition part{.run = run};
        read_fields(row, all, part);
        return part;
    }
};

}  // namespace bulk::sqlite
