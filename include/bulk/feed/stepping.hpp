// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/feed/granules.hpp>
#include <bulk/feed/scan_options.hpp>

#include <algorithm>
#include <cstdint>

namespace bulk {

/// How far a scan goes with its next count, outside of the dense region.
struct stepping {
    granule first = 1;
    granule smallest = 1;
    granule largest = 1;
    granule growth = 1;  ///< by this factor after a range without a record
    granule largest_empty = 1;
    std::uint64_t target = 1;
};

[[nodiscard]] constexpr stepping single_pass_of(const scan_options& options) {
    return {.first = options.sparse_step,
            .smallest = granule{options.dense_step} * 2,
            .largest = options.largest_step,
            .growth = 5,
            .largest_empty = options.largest_empty_step,
            .target = options.target};
}

[[nodiscard]] constexpr stepping fine_pass_of(const scan_options& options) {
    return {.first = options.dense_step,
            .smallest = options.dense_step,
            .largest = options.largest_fine_step,
            .growth = 2,
            .largest_empty = options.largest_fine_step,
            .target = options.target};
}

/// The step after a range of that width with so many records. A count speaks of the width over
/// which it was made: of several made at once, each corrects its own width and not what the one
/// beside it has corrected already, or three that found twice too many would make it an eighth.
[[nodiscard]] constexpr granule next_step(const stepping& rule, granule step, granule width,
                                          std::uint64_t records) {
    if (records == 0) return std::min(step * rule.growth, rule.largest_empty);
    return std::min(std::max(width * rule.target / records, rule.smallest), rule.largest);
}

[[nodiscard]] constexpr bool is_dense(const scan_options& options, granule at) {
    return at >= 0 && at < options.dense_below;
}

/// Where a range that begins at `at` ends, `end` at most.
[[nodiscard]] constexpr granule end_of_step(const scan_options& options, granule at, granule step,
                                            granule end) {
    if (is_dense(options, at)) return std::min(at + options.dense_step, end);
    // A large step from below must not swallow the region that is to be looked at closely.
    if (at < 0 && options.dense_below > 0) end = std::min<granule>(end, 0);
    return std::min(at + step, end);
}

static_assert(next_step(single_pass_of({}), 5'000, 5'000, 0) == 25'000);
static_assert(next_step(single_pass_of({}), 25'000, 25'000, 0) == 100'000);
static_assert(next_step(single_pass_of({}), 5'000, 5'000, 3'000) == 4'166);
static_assert(next_step(single_pass_of({}), 5'000, 5'000, 1'000'000) == 200);
static_assert(next_step(single_pass_of({}), 5'000, 5'000, 1) == 50'000);
static_assert(next_step(fine_pass_of({}), 6'000, 6'000, 0) == 10'000);
static_assert(next_step(fine_pass_of({}), 100, 100, 10'000) == 100);

}  // namespace bulk
