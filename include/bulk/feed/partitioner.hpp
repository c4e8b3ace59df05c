// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/setting_rules.hpp>
#include <bulk/feed/density.hpp>
#include <bulk/feed/granules.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

struct planned_partition {
    key_range range{};
    std::uint64_t estimated = 0;                  ///< records
    std::optional<std::uint64_t> most_records{};  ///< end there: see `max_records`

    bool operator==(const planned_partition&) const = default;
};

/// How a feed is cut. There may be fewer partitions than were asked for: `partitions.size()` is
/// what counts.
struct feed_plan {
    std::vector<planned_partition> partitions{};
    bool is_capped = false;   ///< the source has more than `max_records`; the rest is left out
    std::uint64_t total = 0;  ///< what the partitions have together, by estimate

    bool operator==(const feed_plan&) const = default;
};

struct partition_options {
    std::uint32_t workers = 30;     ///< at most so many partitions
    std::int64_t granularity = 1;   ///< of the scan: cuts are only between granules
    std::uint64_t max_records = 0;  ///< partitions beyond so many are dropped; 0 is unlimited
};

[[nodiscard]] inline result<> validate(const partition_options& options) {
    constexpr std::uint32_t most = 1'000'000;
    if (options.workers > most)
        return fail(errc::invalid_argument,
                    concat("workers is ", options.workers, "; it must be at most ", most));
    return setting_rules::at_least<std::int64_t>("granularity", options.granularity, 1);
}

/// As many workers as have `min_per_worker` records each, at least one if there is any record.
[[nodiscard]] constexpr std::uint32_t worker_count(std::uint64_t total,
                                                   std::uint64_t min_per_worker,
                                                   std::uint32_t max_workers) {
    if (total == 0) return 0;
    const std::uint64_t wanted = 1 + (total - 1) / std::max<std::uint64_t>(min_per_worker, 1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, max_workers));
}

static_assert(worker_count(0, 1'000, 30) == 0);
static_assert(worker_count(1, 1'000, 30) == 1);
static_assert(worker_count(1'001, 1'000, 30) == 2);
static_assert(worker_count(500'000, 1'000, 30) == 30);

namespace detail {

/// A place at which a feed may be cut, and how many records are before it.
struct possible_cut {
    std::int64_t place = 0;
    std::uint64_t before = 0;
};

/// The chunks of a density must lie in the extent, one after the other. Returns their records.
[[nodiscard]] inline result<std::uint64_t> total_of(const std::vector<density_chunk>& chunks,
                                                    const key_range& extent) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto& range = chunks[i].range;
        const bool is_in_order =
            i == 0 ? range.first >= extent.first : range.first > chunks[i - 1].range.last;
        if (!is_in_order || range.first > range.last || range.last > extent.last)
            return fail(
                errc::invalid_argument,
                concat("chunk ", i, " of the density is from place ", range.first, " to ",
                       range.last, ", which is not behind the one before it and within ",
                       extent.first, " to ", extent.last, "; give the extent that was scanned"));
        if (chunks[i].count > ~total)
            return fail(errc::invalid_argument,
                        concat("chunk ", i, " of the density has ", chunks[i].count,
                               " records, more than can be added up"));
        total += chunks[i].count;
    }
    return total;
}

/// Chunks begin where a feed may be cut; those that are too large for a partition are divided
/// first, as if their records were spread evenly.
[[nodiscard]] inline std::vector<possible_cut> possible_cuts(
    const std::vector<density_chunk>& chunks, std::uint64_t target, std::int64_t granularity) {
    std::vector<possible_cut> cuts;
    std::uint64_t before = 0;
    for (const auto& chunk : chunks) {
        const auto span = granules_of(chunk.range, granularity);
        const std::uint64_t parts = parts_for(chunk.count, target, span);
        for (std::uint64_t i = 0; i < parts; ++i) {
            const granule_span part = part_of(span, i, parts);
            cuts.push_back({.place = places_of(part, chunk.range, granularity).first,
                            .before = before + share_before(chunk.count, span, part.begin)});
        }
        before += chunk.count;
    }
    return cuts;
}

/// For each of the even shares of the total the nearest of the possible cuts, unless it would leave
/// nothing between it and the one before: a heap that cannot be divided fills several shares.
[[nodiscard]] inline std::vector<possible_cut> nearest_cuts(const std::vector<possible_cut>& cuts,
                                                            std::uint64_t total,
                                                            std::uint32_t workers) {
    std::vector<possible_cut> taken;
    std::size_t at = 0;
    for (std::uint32_t share = 1; share < workers && !cuts.empty(); ++share) {
        const auto distance = [&](const possible_cut& cut) {
            const granule off = granule{cut.before} * workers - granule{total} * share;
            return off < 0 ? -off : off;
        };
        while (at + 1 < cuts.size() && distance(cuts[at + 1]) <= distance(cuts[at])) ++at;
        const std::uint64_t last = taken.empty() ? 0 : taken.back().before;
        if (cuts[at].before > last && cuts[at].before < total) taken.push_back(cuts[at]);
    }
    return taken;
}

/// The last partition that is kept takes what is left of the allowance.
inline void cap(feed_plan& plan, std::uint64_t max_records) {
    plan.is_capped = true;
    plan.total = max_records;
    std::uint64_t left = max_records;
    for (std::size_t i = 0; i < plan.partitions.size(); ++i) {
        auto& each = plan.partitions[i];
        if (each.estimated < left) {
            left -= each.estimated;
            continue;
        }
        each.estimated = left;
        each.most_records = left;
        plan.partitions.resize(i + 1);
    }
}

}  // namespace detail

/// Cuts an extent into partitions of about the same number of records. Together they are the whole
/// extent, without a gap: what was empty when it was scanned belongs to a neighbour, and so does
/// what comes to be there. Only a plan that is capped ends early. No records or no workers: no
/// partitions.
[[nodiscard]] inline result<feed_plan> partition(const density& found, const key_range& extent,
                                                 const partition_options& options) {
    if (auto valid = validate(options); !valid) return std::unexpected{std::move(valid.error())};
    const auto total = detail::total_of(found.chunks, extent);
    if (!total) return std::unexpected{total.error()};
    if (*total == 0 || options.workers == 0) return feed_plan{};

    const std::uint64_t target = 1 + (*total - 1) / options.workers;
    const auto cuts = detail::nearest_cuts(
        detail::possible_cuts(found.chunks, target, options.granularity), *total, options.workers);

    feed_plan plan{.total = *total};
    std::int64_t begin = extent.first;
    std::uint64_t before = 0;
    for (const auto& cut : cuts) {
        plan.partitions.push_back(
            {.range = {begin, cut.place - 1}, .estimated = cut.before - before});
        begin = cut.place;
        before = cut.before;
    }
    plan.partitions.push_back({.range = {begin, extent.last}, .estimated = *total - before});
    if (options.max_records > 0 && options.max_records < *total)
        detail::cap(plan, options.max_records);
    return plan;
}

}  // namespace bulk
