// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/histogram.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bulk {

/// A histogram while it grows, from any thread.
class growing_histogram {
public:
    /// Less than nothing, by a clock that was set back meanwhile, is nothing.
    void add(std::chrono::microseconds took, std::uint64_t times = 1) {
        took = std::max(took, std::chrono::microseconds{0});
        counts_[histogram::bucket_of(took)].fetch_add(times, std::memory_order_relaxed);
        sum_.fetch_add(took.count() * static_cast<std::int64_t>(times), std::memory_order_relaxed);
    }

    [[nodiscard]] histogram value() const {
        histogram now;
        for (std::size_t i = 0; i < histogram::buckets; ++i) {
            now.counts[i] = counts_[i].load(std::memory_order_relaxed);
            now.count += now.counts[i];
        }
        now.sum = std::chrono::microseconds{sum_.load(std::memory_order_relaxed)};
        return now;
    }

private:
    std::array<std::atomic<std::uint64_t>, histogram::buckets> counts_{};
    std::atomic<std::int64_t> sum_{0};
};

}  // namespace bulk
