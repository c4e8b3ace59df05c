// Runs of one feed, a few items each, step by step.
#pragma once

#include "../../conformance/feed_stage.hpp"

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_ledger.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace small_feed {

using conformance::at, conformance::mapped, conformance::page_of, conformance::raw;
using conformance::run_id_of, conformance::worker;

/// Fails the test that calls it when there is none: `value()` throws.
template <typename Ledger>
bulk::feed_run start(Ledger feeds, int number, std::uint32_t partitions) {
    bulk::feed_run run{.id = run_id_of(number),
                       .feed = "diamonds",
                       .window = {.from = at(0), .to = at(number)},
                       .trace = "trace",
                       .started_by = "ops",
                       .started_at = at(number)};
    run.watermark_before = feeds.watermark_of("diamonds").value().value;
    return feeds.start_run(run, conformance::parts(partitions)).value();
}

/// A run of one partition and one page, fetched and ready to be consolidated.
template <typename Ledger>
bulk::feed_run fetch(Ledger feeds, int number, std::vector<bulk::raw_item> items) {
    auto run = start(feeds, number, 1);
    const auto work = feeds.claim_page(worker(number)).value().value();
    (void)feeds.store_page(work, page_of(std::move(items)), worker(number)).value();
    return run;
}

/// Whatever is to be consolidated, in batches of that many.
template <typename Ledger>
void consolidate(Ledger feeds, int now, std::uint32_t most = 2000) {
    while (const auto batch = feeds.claim_batch(worker(now), most).value()) {
        feeds.store_items(*batch, mapped(batch->items), worker(now)).value();
        (void)feeds.finish_batch(*batch, at(now)).value();
    }
}

/// All of the canonical set, deleted ones too, page by page.
template <typename Ledger>
std::vector<bulk::canonical_item> canonical(Ledger feeds, std::uint32_t page_size = 100) {
    std::vector<bulk::canonical_item> all;
    bulk::item_query query{.feed = "diamonds", .with_deleted = true, .page_size = page_size};
    do {
        auto found = feeds.items(query).value();
        for (auto& each : found.items) all.push_back(std::move(each));
        query.after = found.next;
    } while (!query.after.empty());
    return all;
}

/// Everything that can be asked for, to be compared.
struct everything {
    std::vector<bulk::feed_run> runs{};
    std::vector<bulk::feed_partition> partitions{};
    std::vector<bulk::bad_item> bad{};
    std::vector<bulk::canonical_item> items{};
    bulk::watermark standing{};

    bool operator==(const everything&) const = default;
};

template <typename Ledger>
everything read(Ledger feeds) {
    everything all{.runs = feeds.runs({}).value().items,
                   .items = canonical(feeds),
                   .standing = feeds.watermark_of("diamonds").value()};
    for (const auto& run : all.runs) {
        for (auto found = feeds.partitions(run.id).value(); auto& each : found)
            all.partitions.push_back(std::move(each));
        for (auto found = feeds.bad_items(run.id, "", 100).value(); auto& each : found)
            all.bad.push_back(std::move(each));
    }
    return all;
}

}  // namespace small_feed
