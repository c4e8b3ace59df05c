// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bulk {

/// How long things took, in microseconds. Each power of two is divided into eight buckets, so a quantile
/// is off by less than an eighth.
struct histogram {
    static constexpr std::size_t parts = 8;  ///< of each power of two
    /// The last one also holds all that took longer: weeks.
    static constexpr std::size_t buckets = parts * 38;

    std::array<std::uint64_t, buckets> counts{};
    std::uint64_t count = 0;
    std::chrono::microseconds sum{};

    /// The longest time that the bucket is for.
    [[nodiscard]] static constexpr std::chrono::microseconds upper_bound(std::size_t bucket) {
        if (bucket < parts) return std::chrono::microseconds{bucket + 1};
        const std::size_t power = bucket / parts - 1, part = bucket % parts;
        return std::chrono::microseconds{static_cast<std::int64_t>(parts + part + 1) << power};
    }

    [[nodiscard]] static constexpr std::size_t bucket_of(std::chrono::microseconds took) {
        const auto before = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1)) - 1;
        if (before < parts) return static_cast<std::size_t>(before);
        const auto power = static_cast<std::size_t>(std::bit_width(before / parts)) - 1;
        const auto bucket = parts * power + static_cast<std::size_t>(before >> power);
        return std::min(bucket, buckets - 1);
    }

    /// How many took no longer than the upper bound of a bucket.
    [[nodiscard]] constexpr std::uint64_t up_to(std::size_t bucket) const {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i <= bucket; ++i) all += counts[i];
        return all;
    }

    /// A time that this share of them did not exceed: 0.5 is the median. Inside a bucket they are taken
    /// to be spread evenly.
    [[nodiscard]] constexpr std::chrono::microseconds quantile(double share) const {
        auto left = static_cast<double>(count) * share;
        for (std::size_t i = 0; i < buckets; ++i) {
            const auto here = static_cast<double>(counts[i]);
            if (counts[i] > 0 && left <= here) {
                const std::int64_t end = upper_bound(i).count();
                const std::int64_t begin = i == 0 ? 0 : upper_bound(i - 1).count();
                const double part = static_cast<double>(end - begin) * std::max(left, 0.0) / here;
                return std::chrono::microseconds{
                    std::min(end, begin + 1 + static_cast<std::int64_t>(part))};
            }
            left -= here;
        }
        return std::chrono::microseconds{};
    }

    bool operator==(const histogram&) const = default;
};
static_assert(histogram::bucket_of(std::chrono::microseconds{1}) == 0);
static_assert(histogram::bucket_of(std::chrono::microseconds{8}) == 7);
static_assert(histogram::bucket_of(std::chrono::microseconds{9}) == 8);
static_assert(histogram::bucket_of(std::chrono::microseconds{16}) == 15);
static_assert(histogram::bucket_of(std::chrono::microseconds{18}) == 16);
static_assert(histogram::upper_bound(16) == std::chrono::microseconds{18});

}  // namespace bulk
