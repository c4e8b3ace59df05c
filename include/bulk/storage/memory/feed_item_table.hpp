// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/feed_tables.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace bulk::memory {

/// What all runs of one feed have made of its source, by key.
class feed_item_table {
public:
    [[nodiscard]] sighting see(run_id run, const std::string& key, std::uint64_t hash) {
        const auto found = items_.find(key);
        if (found == items_.end()) return {};
        auto& item = found->second;
        const sighting seen{.is_same = item.hash == hash && !item.is_deleted,
                            .was_seen = item.seen_in == run};
        if (seen.is_same) item.seen_in = run;
        return seen;
    }

    void put(run_id run, const mapped_item& from, std::uint64_t version, timestamp now) {
        auto [at, is_new] = items_.try_emplace(from.key);
        auto& item = at->second;
        if (is_new || item.is_deleted || item.payload != from.payload) {
            item.payload = from.payload;
            item.is_deleted = false;
            item.version = version;
            item.changed_at = now;
        }
        item.hash = from.hash;
        item.seen_in = run;
    }

    /// Those that were not seen in this run, and that nobody `keeps`.
    template <typename Keeps>
    std::uint64_t remove_unseen(run_id run, std::uint64_t version, timestamp now, Keeps keeps) {
        std::uint64_t removed = 0;
        for (auto& [key, item] : items_) {
            if (item.is_deleted || item.seen_in == run || keeps(key)) continue;
            item.is_deleted = true;
            item.version = version;
            item.changed_at = now;
            ++removed;
        }
        return removed;
    }

    [[nodiscard]] std::optional<canonical_item> find(const std::string& key) const {
        const auto found = items_.find(key);
        if (found == items_.end()) return std::nullopt;
        return shown(*found);
    }

    /// `after` is the key behind which to go on.
    [[nodiscard]] page<canonical_item> find(const item_query& query,
                                            const std::optional<std::string>& after) const {
        auto at = after && *after >= query.from_key ? items_.upper_bound(*after)
                                                    : items_.lower_bound(query.from_key);
        page<canonical_item> found;
        read_pulse pulse;
        for (; at != items_.end() && found.items.size() < query.page_size && !pulse.is_over();
             ++at) {
            if (at->second.is_deleted && !query.with_deleted) continue;
            if (at->second.version <= query.changed_since) continue;
            found.items.push_back(shown(*at));
        }
        return found;
    }

private:
    struct kept {
        std::uint64_t hash = 0;
        std::string payload{};
        bool is_deleted = false;
        std::uint64_t version = 0;
        timestamp changed_at{};
        run_id seen_in{};
    };

    [[nodiscard]] static canonical_item shown(const std::pair<const std::string, kept>& each) {
        const auto& [key, item] = each;
        return {.key = key,
                .payload = item.payload,
                .is_deleted = item.is_deleted,
                .version = item.version,
                .changed_at = item.changed_at};
    }

    std::map<std::string, kept> items_;
};

}  // namespace bulk::memory
