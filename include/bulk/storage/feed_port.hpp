// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// The functions of `feed_ledger`, which says what they mean, without the type of the backend.
class feed_port {
public:
    feed_port() = default;
    feed_port(const feed_port&) = delete;
    feed_port& operator=(const feed_port&) = delete;
    virtual ~feed_port() = default;

    /// Whether the backend keeps feeds.
    [[nodiscard]] virtual result<> usable() const { return {}; }

    virtual result<feed_run> start_run(const feed_run& run,
                                       const std::vector<feed_partition>& partitions) = 0;
    virtual result<feed_run> run(run_id id) = 0;
    virtual result<page<feed_run>> runs(const run_query& query) = 0;
    virtual result<std::vector<feed_partition>> partitions(run_id id) = 0;
    virtual result<feed_run> cancel_run(run_id id, const std::string& reason, timestamp now,
                                        const std::string& who) = 0;
    virtual result<std::uint32_t> retry_partitions(run_id id, std::optional<std::uint32_t> number,
                                                   timestamp now, const std::string& who) = 0;
    virtual result<> remove_run(run_id id) = 0;

    virtual result<std::optional<page_work>> claim_page(const work_request& request) = 0;
    virtual result<stored_page> store_page(const page_work& work, const fetched_page& page,
                                           const work_request& request) = 0;
    virtual result<bool> retry_page(const page_work& work, const std::string& why, timestamp at,
                                    timestamp now) = 0;
    virtual result<bool> fail_page(const page_work& work, const std::string& why, timestamp now,
                                   retry_from from) = 0;
    virtual result<> return_page(const page_work& work, timestamp now) = 0;

    virtual result<feed_run> consolidate(run_id id, bool force, timestamp now,
                                         const std::string& who) = 0;
    virtual result<std::optional<item_batch>> claim_batch(const work_request& request,
                                                          std::uint32_t most) = 0;
    virtual result<> store_items(const item_batch& batch, const std::vector<mapped_item>& items,
                                 const work_request& request) = 0;
    virtual result<feed_run> finish_batch(const item_batch& batch, timestamp now) = 0;
    virtual result<> return_batch(const item_batch& batch, timestamp now) = 0;
    virtual result<std::uint64_t> resume_consolidation(run_id id, timestamp now,
                                                       const std::string& who) = 0;
    virtual result<std::vector<bad_item>> bad_items(run_id id, const std::string& after,
                                                    std::uint32_t limit) = 0;

    virtual result<watermark> watermark_of(const std::string& feed) = 0;
    virtual result<watermark> set_watermark(const std::string& feed, std::optional<timestamp> value,
                                            const std::string& who, timestamp now) = 0;
    virtual result<std::optional<canonical_item>> item(const std::string& feed,
                                                       const std::string& key) = 0;
    virtual result<page<canonical_item>> items(const item_query& query) = 0;
    virtual result<std::optional<timestamp>> next_due(const std::vector<std::string>& feeds) = 0;
};

/// The feeds of a backend that keeps none: every call fails and says so.
[[nodiscard]] std::unique_ptr<feed_port> make_absent_feeds();

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/storage/absent_feeds.hpp>
#endif
