// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <string>

namespace bulk {

/// How a process works on runs of feeds.
struct feed_service_options {
    int workers = 4;        ///< pages that it fetches at once
    int consolidators = 1;  ///< batches that it consolidates at once
    std::chrono::milliseconds lease_time = std::chrono::minutes{2};        ///< of a page
    std::chrono::milliseconds batch_lease_time = std::chrono::minutes{5};  ///< of a batch
    std::chrono::milliseconds poll_interval{5'000};  ///< look for what other processes have begun
    std::chrono::milliseconds stall_after = std::chrono::minutes{30};  ///< a run without progress
    std::chrono::milliseconds shutdown_timeout{30'000};                ///< for pages in flight
    scheduling scheduler = scheduling::channels;
    std::string worker_name{};  ///< for people; empty: the program's name
};

[[nodiscard]] inline result<> validate(const feed_service_options& options) {
    using namespace setting_rules;
    return first_failure({
        at_least("workers", options.workers, 1),
        at_least("consolidators", options.consolidators, 1),
        positive("lease_time", options.lease_time),
        positive("batch_lease_time", options.batch_lease_time),
        positive("poll_interval", options.poll_interval),
        positive("stall_after", options.stall_after),
        not_negative("shutdown_timeout", options.shutdown_timeout),
    });
}

}  // namespace bulk
