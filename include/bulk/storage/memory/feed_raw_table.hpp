// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bulk::memory {

/// What a run has fetched and not consolidated yet, by key. Bad items stand apart, so that nobody who
/// looks for the next pending one has to pass them.
class feed_raw_table {
public:
    bool put(const raw_item& item) {
        kept now{.hash = item.hash, .payload = item.payload};
        if (bad_.erase(item.key) > 0) {
            pending_.emplace(item.key, std::move(now));
            return false;
        }
        return pending_.insert_or_assign(item.key, std::move(now)).second;
    }
    bool drop(const std::string& key) { return pending_.erase(key) > 0; }

    bool put_bad(const bad_item& item) {
        return keyless_
            .insert_or_assign(item.key, kept{.payload = item.payload, .reason = item.reason})
            .second;
    }
    bool mark_bad(const std::string& key, const std::string& reason) {
        auto node = pending_.extract(key);
        if (node.empty()) return false;
        node.mapped().reason = reason;
        bad_.insert(std::move(node));
        return true;
    }
    std::uint64_t reset_bad() {
        const auto count = bad_.size();
        for (auto& [key, item] : bad_) item.reason.clear();
        pending_.merge(bad_);
        return count;
    }

    [[nodiscard]] bool contains(const std::string& key) const {
        return pending_.contains(key) || bad_.contains(key) || keyless_.contains(key);
    }

    [[nodiscard]] std::vector<bad_item> bad_behind(const std::string& key,
                                                   std::uint32_t limit) const {
        std::vector<bad_item> found;
        auto a = bad_.upper_bound(key), b = keyless_.upper_bound(key);
        while (found.size() < limit && (a != bad_.end() || b != keyless_.end())) {
            const bool is_a = b == keyless_.end() || (a != bad_.end() && a->first <= b->first);
            const auto& [at, item] = is_a ? *a++ : *b++;
            found.push_back({.key = at, .payload = item.payload, .reason = item.reason});
        }
        return found;
    }

    [[nodiscard]] std::vector<raw_item> pending_behind(const std::string& key,
                                                       std::uint32_t limit) const {
        return pick(pending_.upper_bound(key), pending_.end(), limit);
    }
    /// Both ends included.
    [[nodiscard]] std::vector<raw_item> pending_between(const std::string& first,
                                                        const std::string& last,
                                                        std::uint32_t limit) const {
        if (last < first) return {};
        return pick(pending_.lower_bound(first), pending_.upper_bound(last), limit);
    }

private:
    struct kept {
        std::uint64_t hash = 0;
        std::string payload{};
        std::string reason{};
    };
    using items = std::map<std::string, kept>;

    [[nodiscard]] static std::vector<raw_item> pick(items::const_iterator from,
                                                    items::const_iterator end,
                                                    std::uint32_t limit) {
        std::vector<raw_item> found;
        for (; from != end && found.size() < limit; ++from)
            found.push_back(
                {.key = from->first, .hash = from->second.hash, .payload = from->second.payload});
        return found;
    }

    items pending_;
    items bad_;      ///< that could not be mapped
    items keyless_;  ///< by where they were
};

}  // namespace bulk::memory
