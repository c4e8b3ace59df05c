// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/feed_filter.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/memory/claimable_feed_work.hpp>
#include <bulk/storage/memory/event_table.hpp>
#include <bulk/storage/memory/kept_feed.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bulk::memory {

/// Runs of feeds and everything of theirs. Not for several threads at once: the storage holds the lock.
/// Nothing is ever undone: the ledger looks before it changes anything, and nothing here can fail.
class feed_tables {
public:
    explicit feed_tables(event_table& events) : events_{events} {}

    // --- runs ------------------------------------------------------------------------------------

    [[nodiscard]] std::optional<feed_run> find_run(run_id id) const {
        const auto found = runs_.find(id);
        return found == runs_.end() ? std::nullopt : std::optional{found->second.run};
    }
    [[nodiscard]] std::optional<feed_run> newest_run(const std::string& feed) const {
        const auto* found = known_feed(feed);
        if (found == nullptr || found->runs.empty()) return std::nullopt;
        return found->runs.rbegin()->second->run;
    }
    [[nodiscard]] page<feed_run> find_runs(const run_query& query,
                                           std::optional<std::uint64_t> before) const {
        const auto* of_feed = query.feed.empty() ? nullptr : known_feed(query.feed);
        if (!query.feed.empty() && of_feed == nullptr) return {};
        const auto& all = of_feed != nullptr ? of_feed->runs : by_number_;
        page<feed_run> found;
        read_pulse pulse;
        for (auto at = before ? all.lower_bound(*before) : all.end();
             at != all.begin() && found.items.size() < query.page_size && !pulse.is_over();)
            if (const auto& run = (--at)->second->run; matches(query, run))
                found.items.push_back(run);
        return found;
    }
    [[nodiscard]] feed_run insert_run(feed_run run) {
        auto& feed = feeds_[folded(run.feed)];
        run.number = ++last_number_;
        run.feed_number = ++feed.last_number;
        auto& kept = runs_[run.id];
        kept.run = run;
        kept.feed = &feed;
        by_number_[run.number] = feed.runs[run.number] = &kept;
        feed.work.enter(run);
        return run;
    }
    void save_run(const feed_run& run) {
        auto& kept = runs_.at(run.id);
        auto& work = kept.feed->work;
        const bool batches_move = is_active(kept.run) != is_active(run);
        work.leave(kept.run);
        if (batches_move)
            for (const auto& [number, batch] : kept.batches) work.leave(kept.run, batch);
        kept.run = run;
        work.enter(run);
        if (batches_move)
            for (const auto& [number, batch] : kept.batches) work.enter(run, batch);
    }
    void remove_run(const feed_run& run) {
        auto& kept = runs_.at(run.id);
        auto& work = kept.feed->work;
        work.leave(kept.run);
        for (const auto& [number, part] : kept.partitions) work.leave(kept.run, part);
        for (const auto& [number, batch] : kept.batches) work.leave(kept.run, batch);
        kept.feed->runs.erase(kept.run.number);
        by_number_.erase(kept.run.number);
        runs_.erase(run.id);
        events_.remove_events(operation_id{run.id.value});
    }

    // --- partitions ------------------------------------------------------------------------------

    [[nodiscard]] std::vector<feed_partition> partitions(const feed_run& run) const {
        return all_parts(runs_.at(run.id).partitions);
    }
    [[nodiscard]] std::optional<feed_partition> find_partition(const feed_run& run,
                                                               std::uint32_t number) const {
        return find_part(runs_.at(run.id).partitions, number);
    }
    void insert_partition(const feed_run& run, const feed_partition& part) {
        auto& kept = runs_.at(run.id);
        kept.insert(kept.partitions, part);
    }
    void save_partition(const feed_run& run, const feed_partition& part) {
        auto& kept = runs_.at(run.id);
        kept.save(kept.partitions, part);
    }
    [[nodiscard]] std::optional<claimable_partition> find_claimable(
        const std::vector<std::string>& feeds, timestamp now, timestamp lapsed_by) const {
        const auto best = least(
            feeds, [&](const claimable_feed_work& work) { return work.partition(now, lapsed_by); });
        if (!best) return std::nullopt;
        const auto& kept = *by_number_.at(best->run);
        return claimable_partition{kept.run,
                                   kept.partitions.at(static_cast<std::uint32_t>(best->number))};
    }

    // --- raw items -------------------------------------------------------------------------------

    bool put_raw(const feed_run& run, const raw_item& item) {
        return runs_.at(run.id).raw.put(item);
    }
    bool drop_raw(const feed_run& run, const std::string& key) {
        return runs_.at(run.id).raw.drop(key);
    }
    bool put_bad(const feed_run& run, const bad_item& item) {
        return runs_.at(run.id).raw.put_bad(item);
    }
    bool mark_bad(const feed_run& run, const std::string& key, const std::string& reason) {
        return runs_.at(run.id).raw.mark_bad(key, reason);
    }
    std::uint64_t reset_bad(const feed_run& run) { return runs_.at(run.id).raw.reset_bad(); }
    [[nodiscard]] std::vector<bad_item> bad_items(const feed_run& run, const std::string& after,
                                                  std::uint32_t limit) const {
        return runs_.at(run.id).raw.bad_behind(after, limit);
    }
    [[nodiscard]] std::vector<raw_item> pending_items(const feed_run& run, const std::string& after,
                                                      std::uint32_t limit) const {
        return runs_.at(run.id).raw.pending_behind(after, limit);
    }
    [[nodiscard]] std::vector<raw_item> pending_between(const feed_run& run,
                                                        const std::string& first,
                                                        const std::string& last,
                                                        std::uint32_t limit) const {
        return runs_.at(run.id).raw.pending_between(first, last, limit);
    }
    void forget_older_items(const feed_run& run) {
        for (auto& [number, kept] : runs_.at(run.id).feed->runs) {
            if (number >= run.number) break;
            kept->raw = {};
        }
    }

    // --- the canonical set -----------------------------------------------------------------------

    [[nodiscard]] sighting see(const feed_run& run, const std::string& key, std::uint64_t hash) {
        return runs_.at(run.id).feed->items.see(run.id, key, hash);
    }
    void put_item(const feed_run& run, const mapped_item& item, std::uint64_t version,
                  timestamp now) {
        runs_.at(run.id).feed->items.put(run.id, item, version, now);
    }
    std::uint64_t remove_unseen(const feed_run& run, std::uint64_t version, timestamp now) {
        auto& kept = runs_.at(run.id);
        return kept.feed->items.remove_unseen(
            run.id, version, now, [&](const std::string& key) { return kept.raw.contains(key); });
    }
    [[nodiscard]] std::optional<canonical_item> find_item(const std::string& feed,
                                                          const std::string& key) const {
        const auto* found = known_feed(feed);
        return found == nullptr ? std::nullopt : found->items.find(key);
    }
    [[nodiscard]] page<canonical_item> find_items(const item_query& query,
                                                  const std::optional<std::string>& after) const {
        const auto* found = known_feed(query.feed);
        if (found == nullptr) return {};
        return found->items.find(query, after);
    }

    // --- batches ---------------------------------------------------------------------------------

    [[nodiscard]] std::optional<open_batch> find_batch(const feed_run& run,
                                                       std::uint64_t number) const {
        return find_part(runs_.at(run.id).batches, number);
    }
    [[nodiscard]] std::vector<open_batch> batches(const feed_run& run) const {
        return all_parts(runs_.at(run.id).batches);
    }
    void insert_batch(const feed_run& run, const open_batch& batch) {
        auto& kept = runs_.at(run.id);
        kept.insert(kept.batches, batch);
    }
    void save_batch(const feed_run& run, const open_batch& batch) {
        auto& kept = runs_.at(run.id);
        kept.save(kept.batches, batch);
    }
    void remove_batch(const feed_run& run, std::uint64_t number) {
        auto& kept = runs_.at(run.id);
        kept.feed->work.leave(kept.run, kept.batches.at(number));
        kept.batches.erase(number);
    }
    [[nodiscard]] std::optional<lapsed_batch> find_lapsed(const std::vector<std::string>& feeds,
                                                          timestamp now) const {
        const auto best =
            least(feeds, [&](const claimable_feed_work& work) { return work.batch(now); });
        if (!best) return std::nullopt;
        const auto& kept = *by_number_.at(best->run);
        return lapsed_batch{kept.run, kept.batches.at(best->number)};
    }
    [[nodiscard]] std::optional<feed_run> find_consolidating(const std::vector<std::string>& feeds,
                                                             timestamp now) const {
        const auto best =
            least(feeds, [&](const claimable_feed_work& work) { return work.consolidating(now); });
        return best ? std::optional{by_number_.at(*best)->run} : std::nullopt;
    }

    // --- the rest --------------------------------------------------------------------------------

    [[nodiscard]] watermark standing(const std::string& feed) const {
        const auto* found = known_feed(feed);
        if (found == nullptr || found->standing.feed.empty()) return {.feed = feed};
        return found->standing;
    }
    void save_standing(const watermark& standing) {
        feeds_[folded(standing.feed)].standing = standing;
    }
    [[nodiscard]] std::optional<timestamp> next_due(const std::vector<std::string>& feeds) const {
        return least(feeds, [](const claimable_feed_work& work) { return work.next_due(); });
    }
    void append(const std::vector<event>& events) { events_.append(events); }

private:
    [[nodiscard]] const kept_feed* known_feed(std::string_view name) const {
        const auto found = feeds_.find(folded(name));
        return found == feeds_.end() ? nullptr : &found->second;
    }

    /// The least of what `ask` finds in these feeds.
    template <typename Ask>
    [[nodiscard]] std::invoke_result_t<Ask, const claimable_feed_work&> least(
        const std::vector<std::string>& feeds, Ask ask) const {
        std::invoke_result_t<Ask, const claimable_feed_work&> best;
        for (const auto& name : feeds)
            if (const auto* feed = known_feed(name))
                if (const auto found = ask(feed->work); found && (!best || *found < *best))
                    best = found;
        return best;
    }

    event_table& events_;
    std::map<std::string, kept_feed> feeds_;  ///< by name in lower case
    std::map<run_id, kept_run> runs_;
    numbered_runs by_number_;
    std::uint64_t last_number_ = 0;
};
static_assert(bulk::feed_tables<feed_tables>);

}  // namespace bulk::memory
