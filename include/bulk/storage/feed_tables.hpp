// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// Items of one run by their keys, both ends included, that somebody consolidates.
struct open_batch {
    std::uint64_t number = 0;
    std::string first{};  ///< empty, as `last`: none at all
    std::string last{};
    std::uint64_t fence = 0;
    std::uint32_t deliveries = 0;  ///< to workers, since it last came on
    timestamp leased_until{};
    std::string worker{};

    bool operator==(const open_batch&) const = default;
};

/// What the canonical set has under a key.
struct sighting {
    bool is_same = false;   ///< the item, with that hash, and not deleted
    bool was_seen = false;  ///< in this run already
};

struct claimable_partition {
    feed_run run{};
    feed_partition partition{};
};

/// When somebody can claim a partition that is not finished.
[[nodiscard]] inline timestamp free_from(const feed_partition& part) {
    return std::max(part.due, part.leased_until.value_or(part.due));
}

/// Whether items of a run are still to be handed out, from `consolidate_at` on.
[[nodiscard]] constexpr bool is_to_hand_out(const feed_run& run) {
    return is_active(run) && run.consolidate_at && !run.is_handed_out;
}

struct lapsed_batch {
    feed_run run{};
    open_batch batch{};
};

/// What a backend has to keep for feeds, within one transaction. What it means is written once, in
/// feed_ledger.hpp, which is all that calls it; here everything is plain reading and writing. Names of
/// feeds match in any case. A backend that fails in between undoes the whole transaction.
template <typename Tables>
concept feed_tables =
    requires(Tables& tables, const feed_run& run, const feed_partition& part, run_id id,
             std::uint32_t number, std::uint64_t batch_number, const std::string& text,
             const std::vector<std::string>& feeds, timestamp now, std::uint32_t limit,
             std::uint64_t hash, const raw_item& raw, const bad_item& bad,
             const mapped_item& mapped, const open_batch& batch, const watermark& standing,
             const run_query& runs, std::optional<std::uint64_t> before, const item_query& items,
             const std::optional<std::string>& behind_key, const std::vector<event>& events) {
        // --- runs, by id; `number` and `feed_number` are given by `insert_run` ---------------------
        { tables.find_run(id) } -> std::same_as<std::optional<feed_run>>;
        { tables.newest_run(text) } -> std::same_as<std::optional<feed_run>>;
        /// Of a valid query, before that number, the greatest first, at most `runs.page_size`. The ledger
        /// reads and writes the cursors.
        { tables.find_runs(runs, before) } -> std::same_as<page<feed_run>>;
        { tables.insert_run(run) } -> std::same_as<feed_run>;
        tables.save_run(run);
        /// With its partitions, batches, raw and bad items, and events; not what is canonical.
        tables.remove_run(run);

        // --- partitions, by run and number ---------------------------------------------------------
        { tables.partitions(run) } -> std::same_as<std::vector<feed_partition>>;
        { tables.find_partition(run, number) } -> std::same_as<std::optional<feed_partition>>;
        tables.insert_partition(run, part);
        tables.save_partition(run, part);
        /// Not finished, due, and leased to nobody any more by the second time, of a run that is not cancelled:
        /// the one that is due longest; of those the one of the oldest run, then the lowest number.
        {
            tables.find_claimable(feeds, now, now)
        } -> std::same_as<std::optional<claimable_partition>>;

        // --- raw items of a run, by key: pending until dropped, or bad -----------------------------
        /// A new one, or what there was is replaced; whether it is new to the run.
        { tables.put_raw(run, raw) } -> std::same_as<bool>;
        /// A pending one is gone; whether there was one.
        { tables.drop_raw(run, text) } -> std::same_as<bool>;
        /// A bad one, new or replaced; whether it is new to the run.
        { tables.put_bad(run, bad) } -> std::same_as<bool>;
        /// A pending one is bad from now on; whether there was one.
        { tables.mark_bad(run, text, text) } -> std::same_as<bool>;  // key, reason
        /// Those that `mark_bad` has made bad are pending again; how many. Those that came by `put_bad`
        /// have no key and stay bad.
        { tables.reset_bad(run) } -> std::same_as<std::uint64_t>;
        /// By key, behind that one.
        { tables.bad_items(run, text, limit) } -> std::same_as<std::vector<bad_item>>;
        { tables.pending_items(run, text, limit) } -> std::same_as<std::vector<raw_item>>;
        /// By key, both ends included.
        { tables.pending_between(run, text, text, limit) } -> std::same_as<std::vector<raw_item>>;
        /// Raw and bad items of older runs of this feed are of no use any more.
        tables.forget_older_items(run);

        // --- the canonical set of a feed, by key ---------------------------------------------------
        /// Looks an item up; one that is the same is marked as seen in this run.
        { tables.see(run, text, hash) } -> std::same_as<sighting>;
        /// A new item, or what there was is replaced; `version` and `changed_at` only change when the
        /// payload does or when it had been deleted. Seen in this run.
        tables.put_item(run, mapped, hash /* version */, now);
        /// Those that are not deleted, were not seen in this run and are none of its raw or bad items
        /// are deleted, with that version; how many.
        { tables.remove_unseen(run, hash /* version */, now) } -> std::same_as<std::uint64_t>;
        { tables.find_item(text, text) } -> std::same_as<std::optional<canonical_item>>;
        /// Of a valid query, behind that key, at most `items.page_size`.
        { tables.find_items(items, behind_key) } -> std::same_as<page<canonical_item>>;

        // --- batches of a run, by number -----------------------------------------------------------
        { tables.find_batch(run, batch_number) } -> std::same_as<std::optional<open_batch>>;
        { tables.batches(run) } -> std::same_as<std::vector<open_batch>>;
        tables.insert_batch(run, batch);
        tables.save_batch(run, batch);
        tables.remove_batch(run, batch_number);
        /// Leased to nobody any more, of a run that is active.
        { tables.find_lapsed(feeds, now) } -> std::same_as<std::optional<lapsed_batch>>;
        /// An active run of which items are still to be handed out, and now: the oldest.
        { tables.find_consolidating(feeds, now) } -> std::same_as<std::optional<feed_run>>;

        // --- the rest ------------------------------------------------------------------------------
        /// Of a feed that nobody has heard of, everything but the name is empty.
        { tables.standing(text) } -> std::same_as<watermark>;
        tables.save_standing(standing);
        /// When something of these feeds can be claimed, maybe long ago: a partition is due and leased
        /// to nobody, a batch lapses, a run is to be consolidated.
        { tables.next_due(feeds) } -> std::same_as<std::optional<timestamp>>;
        tables.append(events);
    };

}  // namespace bulk
