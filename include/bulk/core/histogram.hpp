// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bulk {

/// How long things took: how many took at most 1, 2, 4, 8 … microseconds.
struct histogram {
    static constexpr std::size_t buckets = 40;  ///< the last one holds all that took longer: weeks

    std::array<std::uint64_t, buckets> counts{};
    std::uint64_t count = 0;
    std::chrono::microseconds sum{};

    [[nodiscard]] static constexpr std::chrono::microseconds upper_bound(std::size_t bucket) {
        return std::chrono::microseconds{std::int64_t{1} << bucket};
    }

    [[nodiscard]] static constexpr std::size_t bucket_of(std::chrono::microseconds took) {
        const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1));
        return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(micros - 1)),
                                     buckets - 1);
    }

    /// A time that this share of them did not exceed: 0.5 is the median. As fine as the buckets.
    [[nodiscard]] constexpr std::chrono::microseconds quantile(double share) const {
        auto left = static_cast<double>(count) * share;
        for (std::size_t i = 0; i < buckets; ++i) {
            left -= static_cast<double>(counts[i]);
            if (left <= 0 && count > 0) return upper_bound(i);
        }
        return std::chrono::microseconds{};
    }

    bool operator==(const histogram&) const = default;
};
static_assert(histogram::bucket_of(std::chrono::microseconds{1}) == 0);
static_assert(histogram::bucket_of(std::chrono::microseconds{2}) == 1);
static_assert(histogram::bucket_of(std::chrono::microseconds{3}) == 2);

/// The same while it grows, from any thread.
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
