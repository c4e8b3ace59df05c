// A storage with runs of feeds on it, and the plainest way to make them go on.
#pragma once

#include "operations.hpp"

#include <bulk/storage/feed_ledger.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

using keys = std::vector<std::string>;

inline bulk::run_id run_id_of(int number) {
    return {{.high = static_cast<std::uint64_t>(number), .low = 9}};
}

/// The run of that number starts 1000 s times it after the beginning; its window ends there.
inline bulk::feed_run run_plan(int number, std::string feed = "diamonds") {
    return {.id = run_id_of(number),
            .feed = std::move(feed),
            .window = {at(-1000), at(number * 1000)},
            .trace = "trace-" + std::to_string(number),
            .started_by = "ops",
            .started_at = at(number * 1000)};
}

inline std::vector<bulk::feed_partition> parts(std::uint32_t count) {
    std::vector<bulk::feed_partition> all(count);
    for (std::uint32_t i = 0; i < count; ++i)
        all[i] = {.number = i, .range = {i * 10, i * 10 + 9}, .estimated = 10};
    return all;
}

inline bulk::work_request worker(int now, std::string name = "one", keys feeds = {"diamonds"}) {
    return {.worker = std::move(name),
            .feeds = std::move(feeds),
            .now = at(now),
            .lease_time = std::chrono::seconds{10}};
}

inline bulk::raw_item raw(std::string key, std::uint64_t hash = 1) {
    auto payload = key + '#' + std::to_string(hash);
    return {.key = std::move(key), .hash = hash, .payload = std::move(payload)};
}

inline bulk::fetched_page page_of(std::vector<bulk::raw_item> items, bool has_more = false) {
    const auto received = items.size();
    return {.items = std::move(items), .received = received, .has_more = has_more};
}

inline std::vector<bulk::mapped_item> mapped(const std::vector<bulk::raw_item>& items) {
    std::vector<bulk::mapped_item> all;
    for (const auto& each : items)
        all.push_back({.key = each.key, .hash = each.hash, .payload = each.payload});
    return all;
}

inline std::vector<bulk::mapped_item> all_bad(const std::vector<bulk::raw_item>& items) {
    auto all = mapped(items);
    for (auto& each : all) each.error = "no price";
    return all;
}

template <typename Items>
keys keys_of(const Items& items) {
    keys all;
    for (const auto& each : items) all.push_back(each.key);
    return all;
}

template <typename Make>
class feed_stage {
public:
    explicit feed_stage(Make make) : storage_{make()}, ledger_{storage_->feeds()} {}

    /// As the next process finds it, if the storage outlives this one; or by another handle.
    void reopen() {
        ledger_.reset();
        if constexpr (requires { storage_.reopen(); }) storage_.reopen();
        ledger_.emplace(storage_->feeds());
    }

    auto* operator->() { return &*ledger_; }
    [[nodiscard]] auto& storage() { return storage_; }

    bulk::feed_run start(int number, std::uint32_t partitions) {
        return start(run_plan(number), partitions);
    }
    /// From where the watermark is.
    bulk::feed_run start(bulk::feed_run plan, std::uint32_t partitions) {
        plan.watermark_before = ledger_->watermark_of(plan.feed).value().value;
        return ledger_->start_run(plan, parts(partitions)).value();
    }

    bulk::page_work claim(int now, const std::string& name = "one") {
        return ledger_->claim_page(worker(now, name)).value().value();
    }
    bulk::stored_page store(const bulk::page_work& work, const bulk::fetched_page& page, int now,
                            const std::string& name = "one") {
        return ledger_->store_page(work, page, worker(now, name)).value();
    }
    /// The next partition is fetched, in one page.
    bulk::page_work fetch(int now, std::vector<bulk::raw_item> items = {}) {
        const auto work = claim(now);
        (void)store(work, page_of(std::move(items)), now);
        return work;
    }
    bulk::page_work fail(int now, const std::string& why = "gone") {
        const auto work = claim(now);
        (void)ledger_->fail_page(work, why, at(now));
        return work;
    }

    std::optional<bulk::item_batch> batch(int now, std::uint32_t most = 100,
                                          const std::string& name = "one") {
        return ledger_->claim_batch(worker(now, name), most).value();
    }
    void put(const bulk::item_batch& batch, int now) {
        (void)ledger_->store_items(batch, mapped(batch.items), worker(now));
    }
    bulk::feed_run end(const bulk::item_batch& batch, int now) {
        put(batch, now);
        return ledger_->finish_batch(batch, at(now)).value();
    }
    void consolidate(int now) {
        while (const auto each = batch(now)) (void)end(*each, now);
    }
    /// A run of one partition with these items, to its end.
    bulk::feed_run whole(int number, std::vector<bulk::raw_item> items) {
        return whole(run_plan(number), std::move(items));
    }
    bulk::feed_run whole(bulk::feed_run plan, std::vector<bulk::raw_item> items) {
        const auto run = start(std::move(plan), 1);
        const auto now = static_cast<int>((run.started_at - at(0)) / std::chrono::seconds{1}) + 1;
        fetch(now, std::move(items));
        consolidate(now + 1);
        return of(run);
    }

    [[nodiscard]] bulk::feed_run of(const bulk::feed_run& run) {
        return ledger_->run(run.id).value();
    }
    [[nodiscard]] bulk::feed_partition part(const bulk::feed_run& run, std::size_t number = 0) {
        return ledger_->partitions(run.id).value().at(number);
    }
    [[nodiscard]] std::optional<bulk::timestamp> mark() {
        return ledger_->watermark_of("diamonds").value().value;
    }
    [[nodiscard]] std::uint64_t version() {
        return ledger_->watermark_of("diamonds").value().version;
    }
    [[nodiscard]] std::optional<bulk::canonical_item> item(const std::string& key) {
        return ledger_->item("diamonds", key).value();
    }
    [[nodiscard]] keys live_keys() {
        return keys_of(ledger_->items({.feed = "diamonds"}).value().items);
    }
    [[nodiscard]] bulk::run_state state(const bulk::feed_run& run, int now) {
        return state_of(of(run), at(now), std::chrono::minutes{30});
    }

    [[nodiscard]] std::vector<bulk::event> events(const bulk::feed_run& run) {
        return storage_->events(bulk::operation_id{run.id.value}, 0, 1000).value();
    }
    [[nodiscard]] std::size_t told(const bulk::feed_run& run, bulk::event_kind kind) {
        return static_cast<std::size_t>(std::ranges::count(events(run), kind, &bulk::event::kind));
    }
    [[nodiscard]] std::size_t all_events() {
        return storage_->events(std::nullopt, 0, 1000).value().size();
    }

private:
    using store_handle = decltype(std::declval<Make&>()());

    store_handle storage_;
    std::optional<decltype(std::declval<store_handle&>()->feeds())> ledger_;
};

}  // namespace conformance
