// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/retry.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace bulk {

/// What `BULK_FEED("name", ...)` can say, in this order. Steps of the scan and the granularity are
/// counted in the smallest unit of the feed's position.
struct feed_options {
    std::string_view name{};
    std::string_view description{};
    std::uint32_t page_size = 30;                ///< records asked for at once
    std::uint64_t target_per_partition = 2'500;  ///< records between two places where it may be cut
    std::uint32_t max_workers = 30;              ///< partitions of a full run, at most
    std::uint32_t max_workers_incremental = 10;  ///< of an incremental one
    std::uint64_t min_per_worker = 1'000;        ///< records; fewer are not worth a partition

    std::uint32_t scan_concurrency = 3;  ///< counts at once
    std::int64_t dense_below = 20'000;   ///< up to there every step is a `dense_step`
    std::int64_t dense_step = 100;
    std::int64_t sparse_step = 5'000;  ///< the first beyond; then by what was found
    bool two_pass = false;             ///< look where there is anything first
    std::int64_t granularity = 1;      ///< cuts are made at multiples of it

    int max_retries = 5;  ///< of a page that could not be fetched, and of a count
    backoff_policy backoff{.base = std::chrono::seconds{1},
                           .factor = 2,
                           .cap = std::chrono::seconds{20},
                           .jitter = 0.3};
    std::uint32_t max_deliveries = 5;  ///< of a page to workers that die with it
    std::uint32_t max_passes =
        3;  ///< through a partition that loses records meanwhile; 1: never look

    std::chrono::milliseconds safety_buffer = std::chrono::minutes{15};  ///< before the watermark
    timestamp full_from{std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};
    std::uint64_t max_records = 0;  ///< of one run; 0 is all

    double min_success_ratio = 1;  ///< of the partitions; less than 1 consolidates without the rest
    std::chrono::milliseconds partial_delay = std::chrono::minutes{5};  ///< before it does
    bool tolerate_bad_items = false;                                    ///< the watermark moves on

    std::uint32_t batch_size = 2'000;      ///< items that one consolidator takes at once
    std::uint32_t upsert_size = 100;       ///< items in one transaction
    std::uint32_t upsert_concurrency = 5;  ///< of those at once
    std::string_view then{};               ///< the feed to start when a run has completed
};

[[nodiscard]] constexpr bool has_valid_sizes(const feed_options& said) {
    return said.page_size >= 1 && said.page_size <= 100'000 && said.target_per_partition >= 1 &&
           said.max_workers >= 1 && said.max_workers <= 10'000 &&
           said.max_workers_incremental >= 1 && said.max_workers_incremental <= 10'000 &&
           said.min_per_worker >= 1 && said.scan_concurrency >= 1 && said.max_deliveries >= 1 &&
           said.max_passes >= 1 && said.batch_size >= 1 && said.batch_size <= 100'000 &&
           said.upsert_size >= 1 && said.upsert_concurrency >= 1;
}

[[nodiscard]] constexpr bool has_valid_steps(const feed_options& said) {
    return said.dense_below >= 0 && said.dense_step >= 1 && said.sparse_step >= 1 &&
           said.granularity >= 1;
}

[[nodiscard]] constexpr bool has_valid_rules(const feed_options& said) {
    return said.min_success_ratio >= 0 && said.min_success_ratio <= 1 &&
           said.partial_delay.count() >= 0 && said.safety_buffer.count() >= 0 &&
           said.max_retries >= 0;
}

}  // namespace bulk
