// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/feed_port.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// A storage that keeps runs of feeds, too: `feeds()` is a `feed_ledger`.
template <typename Storage>
concept feed_storage = requires(Storage& storage) { storage.feeds(); };

/// A `feed_ledger`, or what wraps one, behind `feed_port`.
template <typename Ledger>
class typed_feeds final : public feed_port {
public:
    explicit typed_feeds(Ledger ledger) : ledger_{std::move(ledger)} {}

    result<feed_run> start_run(const feed_run& run,
                               const std::vector<feed_partition>& partitions) override {
        return ledger_.start_run(run, partitions);
    }
    result<feed_run> run(run_id id) override { return ledger_.run(id); }
    result<page<feed_run>> runs(const run_query& query) override { return ledger_.runs(query); }
    result<std::vector<feed_partition>> partitions(run_id id) override {
        return ledger_.partitions(id);
    }
    result<feed_run> cancel_run(run_id id, const std::string& reason, timestamp now,
                                const std::string& who) override {
        return ledger_.cancel_run(id, reason, now, who);
    }
    result<std::uint32_t> retry_partitions(run_id id, std::optional<std::uint32_t> number,
                                           timestamp now, const std::string& who) override {
        return ledger_.retry_partitions(id, number, now, who);
    }
    result<> remove_run(run_id id) override { return ledger_.remove_run(id); }
    result<std::optional<page_work>> claim_page(const work_request& request) override {
        return ledger_.claim_page(request);
    }
    result<stored_page> store_page(const page_work& work, const fetched_page& page,
                                   const work_request& request) override {
        return ledger_.store_page(work, page, request);
    }
    result<bool> retry_page(const page_work& work, const std::string& why, timestamp at,
                            timestamp now) override {
        return ledger_.retry_page(work, why, at, now);
    }
    result<bool> fail_page(const page_work& work, const std::string& why, timestamp now,
                           retry_from from) override {
        return ledger_.fail_page(work, why, now, from);
    }
    result<> return_page(const page_work& work, timestamp now) override {
        return ledger_.return_page(work, now);
    }
    result<feed_run> consolidate(run_id id, bool force, timestamp now,
                                 const std::string& who) override {
        return ledger_.consolidate(id, force, now, who);
    }
    result<std::optional<item_batch>> claim_batch(const work_request& request,
                                                  std::uint32_t most) override {
        return ledger_.claim_batch(request, most);
    }
    result<> store_items(const item_batch& batch, const std::vector<mapped_item>& items,
                         const work_request& request) override {
        return ledger_.store_items(batch, items, request);
    }
    result<feed_run> finish_batch(const item_batch& batch, timestamp now) override {
        return ledger_.finish_batch(batch, now);
    }
    result<> return_batch(const item_batch& batch, timestamp now) override {
        return ledger_.return_batch(batch, now);
    }
    result<std::uint64_t> resume_consolidation(run_id id, timestamp now,
                                               const std::string& who) override {
        return ledger_.resume_consolidation(id, now, who);
    }
    result<std::vector<bad_item>> bad_items(run_id id, const std::string& after,
                                            std::uint32_t limit) override {
        return ledger_.bad_items(id, after, limit);
    }
    result<watermark> watermark_of(const std::string& feed) override {
        return ledger_.watermark_of(feed);
    }
    result<watermark> set_watermark(const std::string& feed, std::optional<timestamp> value,
                                    const std::string& who, timestamp now) override {
        return ledger_.set_watermark(feed, value, who, now);
    }
    result<std::optional<canonical_item>> item(const std::string& feed,
                                               const std::string& key) override {
        return ledger_.item(feed, key);
    }
    result<page<canonical_item>> items(const item_query& query) override {
        return ledger_.items(query);
    }
    result<std::optional<timestamp>> next_due(const std::vector<std::string>& feeds) override {
        return ledger_.next_due(feeds);
    }

private:
    Ledger ledger_;
};

}  // namespace bulk
