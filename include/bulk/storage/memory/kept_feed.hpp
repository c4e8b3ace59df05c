// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/memory/claimable_feed_work.hpp>
#include <bulk/storage/memory/feed_item_table.hpp>
#include <bulk/storage/memory/feed_raw_table.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace bulk::memory {

struct kept_run;
using numbered_runs = std::map<std::uint64_t, kept_run*>;

/// A feed, with its canonical set and what its runs have to do.
struct kept_feed {
    watermark standing{};
    feed_item_table items{};
    claimable_feed_work work{};
    numbered_runs runs{};
    std::uint64_t last_number = 0;  ///< of a run that may be removed
};

/// A run, with its partitions, batches and raw items. Each partition and each batch that there is to do is in
/// the work of the feed.
struct kept_run {
    feed_run run{};
    kept_feed* feed = nullptr;
    std::map<std::uint32_t, feed_partition> partitions{};
    std::map<std::uint64_t, open_batch> batches{};
    feed_raw_table raw{};

    /// Adds one to `partitions` or `batches`.
    template <typename Number, typename Part>
    void insert(std::map<Number, Part>& all, const Part& part) {
        all.emplace(part.number, part);
        feed->work.enter(run, part);
    }
    template <typename Number, typename Part>
    void save(std::map<Number, Part>& all, const Part& part) {
        auto& stored = all.at(part.number);
        feed->work.leave(run, stored);
        stored = part;
        feed->work.enter(run, stored);
    }
};

template <typename Number, typename Part>
[[nodiscard]] std::optional<Part> find_part(const std::map<Number, Part>& all, Number number) {
    const auto found = all.find(number);
    return found == all.end() ? std::nullopt : std::optional{found->second};
}

template <typename Number, typename Part>
[[nodiscard]] std::vector<Part> all_parts(const std::map<Number, Part>& all) {
    std::vector<Part> parts;
    for (const auto& [number, part] : all) parts.push_back(part);
    return parts;
}

}  // namespace bulk::memory
