// Runs of one feed, a few items each, step by step.
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_ledger.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace support::small_feed {

inline bulk::timestamp at(int seconds) {
    return bulk::timestamp{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}} +
           std::chrono::seconds{seconds};
}

inline bulk::run_id run_number(int number) {
    return {{.high = static_cast<std::uint64_t>(number), .low = 7}};
}

inline bulk::work_request worker(int now, std::chrono::milliseconds lease_time) {
    return {.worker = "me", .feeds = {"Diamonds"}, .now = at(now), .lease_time = lease_time};
}
inline bulk::work_request worker(int now) { return worker(now, std::chrono::seconds{10}); }

/// Fails the test that calls it when there is none: `value()` throws.
template <typename Ledger>
bulk::feed_run start(Ledger feeds, int number, std::uint32_t partitions) {
    bulk::feed_run run{.id = run_number(number),
                       .feed = "diamonds",
                       .window = {.from = at(0), .to = at(number)},
                       .trace = "trace",
                       .started_by = "ops",
                       .started_at = at(number)};
    run.watermark_before = feeds.watermark_of("diamonds").value().value;
    std::vector<bulk::feed_partition> parts;
    for (std::uint32_t i = 0; i < partitions; ++i)
        parts.push_back({.number = i, .range = {i, i}, .estimated = 10, .due = at(number)});
    return feeds.start_run(run, parts).value();
}

inline bulk::raw_item item(std::string key, std::uint64_t hash = 1) {
    auto payload = "{\"key\":" + std::to_string(hash) + '}';
    return {.key = std::move(key), .hash = hash, .payload = std::move(payload)};
}

/// A page of these items; the last of its partition unless there is more.
inline bulk::fetched_page page(std::vector<bulk::raw_item> items, bool has_more = false) {
    const auto received = items.size();
    return {.items = std::move(items), .received = received, .has_more = has_more};
}

inline std::vector<bulk::mapped_item> mapped(const bulk::item_batch& batch) {
    std::vector<bulk::mapped_item> all;
    for (const auto& each : batch.items)
        all.push_back({.key = each.key, .hash = each.hash, .payload = each.payload});
    return all;
}

/// A run of one partition and one page, fetched and ready to be consolidated.
template <typename Ledger>
bulk::feed_run fetch(Ledger feeds, int number, std::vector<bulk::raw_item> items) {
    auto run = start(feeds, number, 1);
    const auto work = feeds.claim_page(worker(number)).value().value();
    (void)feeds.store_page(work, page(std::move(items)), worker(number)).value();
    return run;
}

/// Whatever is to be consolidated, in batches of that many.
template <typename Ledger>
void consolidate(Ledger feeds, int now, std::uint32_t most = 2000) {
    while (const auto batch = feeds.claim_batch(worker(now), most).value()) {
        feeds.store_items(*batch, mapped(*batch), worker(now)).value();
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
        for (auto& each : feeds.partitions(run.id).value())
            all.partitions.push_back(std::move(each));
        for (auto& each : feeds.bad_items(run.id, "", 100).value())
            all.bad.push_back(std::move(each));
    }
    return all;
}

}  // namespace support::small_feed
