// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/storage/feed_port.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// The feeds of a backend that keeps none: every call fails and says so.
class absent_feeds final : public feed_port {
public:
    [[nodiscard]] result<> usable() const override { return none(); }

    result<feed_run> start_run(const feed_run&, const std::vector<feed_partition>&) override {
        return none();
    }
    result<feed_run> run(run_id) override { return none(); }
    result<page<feed_run>> runs(const run_query&) override { return none(); }
    result<std::vector<feed_partition>> partitions(run_id) override { return none(); }
    result<feed_run> cancel_run(run_id, const std::string&, timestamp,
                                const std::string&) override {
        return none();
    }
    result<std::uint32_t> retry_partitions(run_id, std::optional<std::uint32_t>, timestamp,
                                           const std::string&) override {
        return none();
    }
    result<> remove_run(run_id) override { return none(); }
    result<std::optional<page_work>> claim_page(const work_request&) override { return none(); }
    result<stored_page> store_page(const page_work&, const fetched_page&,
                                   const work_request&) override {
        return none();
    }
    result<bool> retry_page(const page_work&, const std::string&, timestamp, timestamp) override {
        return none();
    }
    result<bool> fail_page(const page_work&, const std::string&, timestamp, retry_from) override {
        return none();
    }
    result<> return_page(const page_work&, timestamp) override { return none(); }
    result<feed_run> consolidate(run_id, bool, timestamp, const std::string&) override {
        return none();
    }
    result<std::optional<item_batch>> claim_batch(const work_request&, std::uint32_t) override {
        return none();
    }
    result<> store_items(const item_batch&, const std::vector<mapped_item>&,
                         const work_request&) override {
        return none();
    }
    result<feed_run> finish_batch(const item_batch&, timestamp) override { return none(); }
    result<> return_batch(const item_batch&, timestamp) override { return none(); }
    result<std::uint64_t> resume_consolidation(run_id, timestamp, const std::string&) override {
        return none();
    }
    result<std::vector<bad_item>> bad_items(run_id, const std::string&, std::uint32_t) override {
        return none();
    }
    result<watermark> watermark_of(const std::string&) override { return none(); }
    result<watermark> set_watermark(const std::string&, std::optional<timestamp>,
                                    const std::string&, timestamp) override {
        return none();
    }
    result<std::optional<canonical_item>> item(const std::string&, const std::string&) override {
        return none();
    }
    result<page<canonical_item>> items(const item_query&) override { return none(); }
    result<std::optional<timestamp>> next_due(const std::vector<std::string>&) override {
        return none();
    }

    [[nodiscard]] static std::unexpected<error> none() {
        return fail(
            errc::unavailable,  // no client of a front door can change it
            "the storage keeps no feeds: it needs feeds(), which gives a bulk::feed_ledger on its "
            "tables");
    }
};

// NOLINTNEXTLINE(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE std::unique_ptr<feed_port> make_absent_feeds() {
    return std::make_unique<absent_feeds>();
}

}  // namespace bulk
