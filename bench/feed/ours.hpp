// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <bulk/storage/sqlite/storage.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

struct listings : bulk::feed<listings, workload::article, workload::listing, workload::price> {
    BULK_FEED("listings", .page_size = workload::page_size, .max_workers = 30, .granularity = 100,
              .batch_size = workload::batch_size, .upsert_size = workload::upsert_size)
    static constexpr range extent{{0}, {workload::catalogue::highest}};

    bulk::result<std::uint64_t> count(const range& asked, const window&) {
        return workload::source.index_of(asked.last.units + 1) -
               workload::source.index_of(asked.first.units);
    }
    bulk::result<page> fetch(const partition& part, std::uint64_t offset, std::uint32_t limit,
                             const window&) {
        const auto from = workload::source.index_of(part.range.first.units) + offset;
        const auto end = workload::source.index_of(part.range.last.units + 1);
        const auto to = std::min(from + limit, end);
        return page{.items = workload::source.page(from, to), .has_more = to < end};
    }
    bulk::result<workload::listing> map(const workload::article& raw) {
        return workload::listing_of(raw);
    }
};

/// A whole run into a new database: from the look at the source to the watermark. How much larger the
/// largest partition is than the smallest.
inline double run_ours(const std::string& path) {
    bulk::feed_service service{bulk::feeds<listings>, bulk::sqlite::storage::open(path).value()};
    const auto started = service.start("listings");
    if (!started || !*started) std::abort();
    const auto done = service.wait((*started)->id);
    if (!done || !done->completed_at || done->consolidated != workload::record_count) std::abort();
    const auto partitions = service.partitions(done->id);
    if (!partitions || partitions->size() != 30) std::abort();
    const auto [least, most] = std::ranges::minmax(*partitions, {}, &bulk::feed_partition::records);
    return static_cast<double>(most.records) / static_cast<double>(least.records);
}
