#pragma once

#include "operation_maps.hpp"

#include <bulk/storage/feed_filter.hpp>
#include <bulk/storage/feed_tables.hpp>

namespace bulk::naive {

/// Runs of feeds and everything of theirs. In the order of the concept `feed_tables`.
class feed_maps {
public:
    /// Events of runs are among those of operations: one order over both.
    explicit feed_maps(operation_maps& events) : events_{events} {}

    std::optional<feed_run> find_run(run_id id) {
        for (const auto& [number, each] : runs_)
            if (each.run.id == id) return each.run;
        return std::nullopt;
    }
    std::optional<feed_run> newest_run(const std::string& feed) {
        for (const auto& [number, each] : std::views::reverse(runs_))
            if (same_name(each.run.feed, feed)) return each.run;
        return std::nullopt;
    }
    page<feed_run> find_runs(const run_query& query, std::optional<std::uint64_t> before) {
        page<feed_run> found;
        for (const auto& [number, each] : std::views::reverse(runs_))
            if (found.items.size() < query.page_size && (!before || number < *before) &&
                matches(query, each.run))
                found.items.push_back(each.run);
        return found;
    }
    feed_run insert_run(feed_run run) {
        run.number = ++last_run_;
        run.feed_number = ++feed_of(run).last_run;
        runs_[run.number].run = run;
        return run;
    }
    void save_run(const feed_run& run) { of(run).run = run; }
    void remove_run(const feed_run& run) {
        runs_.erase(run.number);
        events_.remove_events(operation_id{run.id.value});
    }

    std::vector<feed_partition> partitions(const feed_run& run) {
        return values_of(of(run).partitions);
    }
    std::optional<feed_partition> find_partition(const feed_run& run, std::uint32_t number) {
        return value_in(of(run).partitions, number);
    }
    void insert_partition(const feed_run& run, const feed_partition& part) {
        of(run).partitions[part.number] = part;
    }
    void save_partition(const feed_run& run, const auto& part) { insert_partition(run, part); }
    std::optional<claimable_partition> find_claimable(const std::vector<std::string>& feeds,
                                                      timestamp now, timestamp lapsed_by) {
        std::optional<claimable_partition> longest;
        for (const auto* each : runs_of(feeds))
            for (const auto& [number, part] : each->partitions)
                if (!is_finished(part.state) && part.due <= now &&
                    part.leased_until.value_or(lapsed_by) <= lapsed_by &&
                    (!longest || part.due < longest->partition.due))
                    longest = {each->run, part};
        return longest;
    }

    bool put_raw(const feed_run& run, const raw_item& item) {
        const bool was_bad = raw(run).bad.erase(item.key) > 0;
        return raw(run).pending.insert_or_assign(item.key, item).second && !was_bad;
    }
    bool drop_raw(const feed_run& run, const std::string& key) {
        return raw(run).pending.erase(key) > 0;
    }
    bool put_bad(const feed_run& run, const bad_item& item) {
        return raw(run).keyless.insert_or_assign(item.key, item).second;
    }
    bool mark_bad(const feed_run& run, const std::string& key, const std::string& reason) {
        const auto item = value_in(raw(run).pending, key);
        if (item) raw(run).bad[key] = {*item, reason};
        return drop_raw(run, key);
    }
    std::uint64_t reset_bad(const feed_run& run) {
        const auto bad = std::exchange(raw(run).bad, {});
        for (const auto& [key, each] : bad) raw(run).pending[key] = each.first;
        return bad.size();
    }
    std::vector<bad_item> bad_items(const feed_run& run, const std::string& behind,
                                    std::uint32_t limit) {
        auto found = values_of(raw(run).keyless);
        for (const auto& [key, each] : raw(run).bad)
            found.push_back({key, each.first.payload, each.second});
        std::erase_if(found, [&](const bad_item& each) { return each.key <= behind; });
        std::ranges::sort(found, {}, &bad_item::key);
        if (found.size() > limit) found.resize(limit);
        return found;
    }
    std::vector<raw_item> pending_items(const feed_run& run, const std::string& behind,
                                        std::uint32_t limit) {
        return pending(run, limit, [&](const std::string& key) { return key > behind; });
    }
    std::vector<raw_item> pending_between(const feed_run& run, const std::string& first,
                                          const std::string& last, std::uint32_t limit) {
        return pending(run, limit, [&](const auto& key) { return key >= first && key <= last; });
    }
    void forget_older_items(const feed_run& run) {
        for (auto& [number, each] : runs_)
            if (number < run.number && same_name(each.run.feed, run.feed)) each.raw = {};
    }

    sighting see(const feed_run& run, const std::string& key, std::uint64_t hash) {
        auto& items = feed_of(run).items;
        const auto found = items.find(key);
        if (found == items.end()) return {};
        auto& each = found->second;
        const sighting seen{.is_same = each.hash == hash && !each.item.is_deleted,
                            .was_seen = each.seen_in == run.id};
        if (seen.is_same) each.seen_in = run.id;
        return seen;
    }
    void put_item(const feed_run& run, const mapped_item& from, std::uint64_t version,
                  timestamp now) {
        auto [at, is_new] = feed_of(run).items.try_emplace(from.key);
        auto& each = at->second;
        if (is_new || each.item.is_deleted || each.item.payload != from.payload)
            each.item = {from.key, from.payload, false, version, now};
        each.hash = from.hash;
        each.seen_in = run.id;
    }
    std::uint64_t remove_unseen(const feed_run& run, std::uint64_t version, timestamp now) {
        std::uint64_t removed = 0;
        for (auto& [key, each] : feed_of(run).items)
            if (!each.item.is_deleted && each.seen_in != run.id && !raw(run).has(key)) {
                each.item = {key, each.item.payload, true, version, now};
                ++removed;
            }
        return removed;
    }
    std::optional<canonical_item> find_item(const std::string& feed, const std::string& key) {
        const auto found = value_in(feeds_[folded(feed)].items, key);
        return found ? std::optional{found->item} : std::nullopt;
    }
    page<canonical_item> find_items(const item_query& query,
                                    const std::optional<std::string>& after) {
        page<canonical_item> found;
        for (const auto& [key, each] : feeds_[folded(query.feed)].items)
            if (found.items.size() < query.page_size && (!after || key > *after) &&
                matches(query, each.item))
                found.items.push_back(each.item);
        return found;
    }

    std::optional<open_batch> find_batch(const feed_run& run, std::uint64_t number) {
        return value_in(of(run).batches, number);
    }
    std::vector<open_batch> batches(const feed_run& run) { return values_of(of(run).batches); }
    void insert_batch(const feed_run& run, const open_batch& batch) { save_batch(run, batch); }
    void save_batch(const feed_run& run, const open_batch& batch) {
        of(run).batches[batch.number] = batch;
    }
    void remove_batch(const feed_run& run, std::uint64_t number) { of(run).batches.erase(number); }
    std::optional<lapsed_batch> find_lapsed(const std::vector<std::string>& feeds, timestamp now) {
        for (const auto* each : runs_of(feeds))
            for (const auto& [number, batch] : each->batches)
                if (is_active(each->run) && batch.leased_until <= now)
                    return lapsed_batch{each->run, batch};
        return std::nullopt;
    }
    std::optional<feed_run> find_consolidating(const std::vector<std::string>& feeds,
                                               timestamp now) {
        for (const auto* each : runs_of(feeds))
            if (is_to_hand_out(each->run) && *each->run.consolidate_at <= now) return each->run;
        return std::nullopt;
    }

    watermark standing(const std::string& feed) {
        const auto& found = feeds_[folded(feed)].standing;
        return found.feed.empty() ? watermark{.feed = feed} : found;
    }
    void save_standing(const watermark& standing) {
        feeds_[folded(standing.feed)].standing = standing;
    }
    std::optional<timestamp> next_due(const std::vector<std::string>& feeds) {
        std::optional<timestamp> next;
        const auto consider = [&](timestamp at) { next = std::min(next.value_or(at), at); };
        for (const auto* each : runs_of(feeds)) {
            for (const auto& [number, part] : each->partitions)
                if (!is_finished(part.state)) consider(free_from(part));
            for (const auto& [number, batch] : each->batches)
                if (is_active(each->run)) consider(batch.leased_until);
            if (is_to_hand_out(each->run)) consider(*each->run.consolidate_at);
        }
        return next;
    }
    void append(const std::vector<event>& events) { events_.append(events); }

private:
    struct raw_items {
        std::map<std::string, raw_item> pending{};
        std::map<std::string, std::pair<raw_item, std::string>> bad{};  ///< not mapped, and why
        std::map<std::string, bad_item> keyless{};                      ///< by where they were
        bool has(const std::string& key) const {
            return pending.contains(key) || bad.contains(key) || keyless.contains(key);
        }
    };
    struct kept_run {
        feed_run run{};
        std::map<std::uint32_t, feed_partition> partitions{};
        std::map<std::uint64_t, open_batch> batches{};
        raw_items raw{};
    };
    struct kept_item {
        canonical_item item{};
        std::uint64_t hash = 0;
        run_id seen_in{};
    };
    struct kept_feed {
        watermark standing{};
        std::map<std::string, kept_item> items{};
        std::uint64_t last_run = 0;  ///< of a run that may be removed
    };

    kept_run& of(const feed_run& run) { return runs_.at(run.number); }
    raw_items& raw(const feed_run& run) { return of(run).raw; }
    kept_feed& feed_of(const feed_run& run) { return feeds_[folded(run.feed)]; }

    template <typename Wants>
    std::vector<raw_item> pending(const feed_run& run, std::uint32_t limit, Wants wants) {
        std::vector<raw_item> found;
        for (const auto& [key, each] : raw(run).pending)
            if (found.size() < limit && wants(key)) found.push_back(each);
        return found;
    }
    std::vector<const kept_run*> runs_of(const std::vector<std::string>& feeds) {
        std::vector<const kept_run*> found;
        for (const auto& [number, each] : runs_)
            for (const auto& name : feeds)
                if (same_name(name, each.run.feed)) found.push_back(&each);
        return found;
    }

    operation_maps& events_;
    std::map<std::uint64_t, kept_run> runs_;  ///< by number
    std::map<std::string, kept_feed> feeds_;  ///< by name in lower case
    std::uint64_t last_run_ = 0;
};
static_assert(feed_tables<feed_maps>);

}  // namespace bulk::naive
