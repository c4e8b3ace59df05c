// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/row_crashes.hpp>
#include <bulk/storage/sqlite/all_tables.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/event_table.hpp>
#include <bulk/storage/sqlite/feed_batch_table.hpp>
#include <bulk/storage/sqlite/feed_item_table.hpp>
#include <bulk/storage/sqlite/feed_partition_table.hpp>
#include <bulk/storage/sqlite/feed_raw_table.hpp>
#include <bulk/storage/sqlite/feed_run_table.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// All that is kept for feeds, within a transaction: the tables one by one, and here what there is to
/// do in them. Whoever looks for that finds at once what processes have left that died.
class feed_tables : public feed_run_table,
                    public feed_partition_table,
                    public feed_batch_table,
                    public feed_raw_table,
                    public feed_item_table {
public:
    /// `holder` is the name of this process.
    feed_tables(session& database, std::string_view holder, burial& dead)
        : feed_run_table{database},
          feed_partition_table{database, holder},
          feed_batch_table{database, holder},
          feed_raw_table{database},
          feed_item_table{database},
          database_{database},
          holder_{holder},
          dead_{dead} {}

    [[nodiscard]] std::optional<claimable_partition> find_claimable(
        const std::vector<std::string>& feeds, timestamp now, timestamp lapsed_by) {
        release_dead();
        std::optional<claimable_partition> longest;
        for (auto& run : active_runs(feeds)) {
            auto part = claimable_of(run, now, lapsed_by);
            if (part && (!longest || part->due < longest->partition.due))
                longest = claimable_partition{std::move(run), std::move(*part)};
        }
        return longest;
    }

    [[nodiscard]] std::optional<lapsed_batch> find_lapsed(const std::vector<std::string>& feeds,
                                                          timestamp now) {
        release_dead();
        for (auto& run : active_runs(feeds))
            if (auto batch = next_lapse(run); batch && batch->leased_until <= now)
                return lapsed_batch{std::move(run), std::move(*batch)};
        return std::nullopt;
    }

    [[nodiscard]] std::optional<feed_run> find_consolidating(const std::vector<std::string>& feeds,
                                                             timestamp now) {
        for (auto& run : active_runs(feeds))
            if (is_to_hand_out(run) && *run.consolidate_at <= now) return std::move(run);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<timestamp> next_due(const std::vector<std::string>& feeds) {
        std::optional<timestamp> next;
        const auto consider = [&](std::optional<timestamp> at) {
            if (at) next = std::min(*at, next.value_or(*at));
        };
        for (const auto& run : active_runs(feeds)) {
            consider(next_claim(run));
            if (const auto batch = next_lapse(run)) consider(batch->leased_until);
            if (is_to_hand_out(run)) consider(run.consolidate_at);
        }
        return next;
    }

    void append(const std::vector<event>& events) { event_table{database_}.append(events); }

private:
    void release_dead() {
        all_tables in{database_, holder_, &dead_};
        row_crashes{in}.count_dead();
    }

    session& database_;
    std::string_view holder_;
    burial& dead_;
};

static_assert(bulk::feed_tables<feed_tables>);

}  // namespace bulk::sqlite
