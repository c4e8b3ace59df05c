// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_tables.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace bulk::memory {

/// What of one feed somebody can claim, and from when on: partitions, batches and runs, found without
/// looking at any other. What it looks at changes between `leave` and `enter` only.
class claimable_feed_work {
public:
    /// A partition or a batch by the number of its run and its own; the least is claimed first.
    struct place {
        timestamp at{};
        std::uint64_t run = 0;
        std::uint64_t number = 0;

        auto operator<=>(const place&) const = default;
    };

    void enter(const feed_run& run, const feed_partition& part) {
        if (is_finished(part.state)) return;
        if (part.leased_until)
            leased_.emplace(free_from(part), place_of(run, part));
        else
            free_.insert(place_of(run, part));
    }
    void leave(const feed_run& run, const feed_partition& part) {
        if (part.leased_until)
            leased_.erase({free_from(part), place_of(run, part)});
        else
            free_.erase(place_of(run, part));
    }

    void enter(const feed_run& run, const open_batch& batch) {
        if (is_active(run)) batches_.insert({batch.leased_until, run.number, batch.number});
    }
    void leave(const feed_run& run, const open_batch& batch) {
        batches_.erase({batch.leased_until, run.number, batch.number});
    }

    void enter(const feed_run& run) {
        if (is_to_hand_out(run)) consolidating_.emplace(run.number, *run.consolidate_at);
    }
    void leave(const feed_run& run) { consolidating_.erase(run.number); }

    /// The partition that is due longest and that nobody has any more. Those whose lease has run out
    /// are looked at one by one: as many as there are workers that did not come back.
    [[nodiscard]] std::optional<place> partition(timestamp now, timestamp lapsed_by) const {
        std::optional<place> best;
        if (!free_.empty() && free_.begin()->at <= now) best = *free_.begin();
        for (const auto& [from, each] : leased_) {
            if (from > lapsed_by) break;
            if (!best || each < *best) best = each;
        }
        return best;
    }
    /// The batch whose lease ran out first.
    [[nodiscard]] std::optional<place> batch(timestamp now) const {
        if (batches_.empty() || batches_.begin()->at > now) return std::nullopt;
        return *batches_.begin();
    }
    /// The number of the oldest run of which items can be handed out.
    [[nodiscard]] std::optional<std::uint64_t> consolidating(timestamp now) const {
        for (const auto& [number, at] : consolidating_)
            if (at <= now) return number;
        return std::nullopt;
    }

    [[nodiscard]] std::optional<timestamp> next_due() const {
        std::optional<timestamp> next;
        const auto consider = [&](timestamp at) { next = std::min(next.value_or(at), at); };
        if (!free_.empty()) consider(free_.begin()->at);
        if (!leased_.empty()) consider(leased_.begin()->first);
        if (!batches_.empty()) consider(batches_.begin()->at);
        for (const auto& [number, at] : consolidating_) consider(at);
        return next;
    }

private:
    [[nodiscard]] static place place_of(const feed_run& run, const feed_partition& part) {
        return {part.due, run.number, part.number};
    }

    std::set<place> free_;                              ///< partitions that nobody has
    std::set<std::pair<timestamp, place>> leased_;      ///< those of others, by when they lose them
    std::set<place> batches_;                           ///< by the end of their lease
    std::map<std::uint64_t, timestamp> consolidating_;  ///< runs, and when that begins
};

}  // namespace bulk::memory
