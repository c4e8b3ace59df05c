// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/setting_rules.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace bulk {

/// How the records of a feed are counted along its axis. Steps are in granules, so that they make
/// sense for cents, for whole numbers and for hours alike.
struct scan_options {
    std::int64_t granularity = 1;  ///< places of the axis in a granule; cuts are only between them

    /// From place 0 up to this granule the step is fixed: prices, sizes and amounts crowd there.
    /// What is negative is as sparse as what is far away, or a feed that reaches to the lowest place
    /// would be counted in steps of `dense_step` all the way. 0: no such region.
    std::int64_t dense_below = 20'000;
    std::int64_t dense_step = 100;

    std::int64_t sparse_step = 5'000;  ///< at first; then what was found says how far to go
    std::int64_t largest_step = 50'000;
    std::int64_t largest_empty_step = 100'000;  ///< after ranges without a record
    std::uint64_t target = 2'500;               ///< records in a chunk
    int concurrency = 3;                        ///< counts at once

    /// First looks where there are records at all: fewer counts when most of the axis is empty.
    bool two_pass = false;
    std::int64_t coarse_step = 5'000;         ///< of the first pass
    std::int64_t largest_fine_step = 10'000;  ///< of the second

    bool refine = true;  ///< chunks of more than 1.5 times the target are divided and counted again
    std::uint64_t most_counts = 100'000;  ///< a scan that takes more is refused
};

[[nodiscard]] inline result<> validate(const scan_options& options) {
    using namespace setting_rules;
    const auto not_below = [](std::string_view name, std::int64_t value, std::string_view other,
                              std::int64_t least) -> result<> {
        if (value >= least) return {};
        return fail(errc::invalid_argument, concat(name, " is ", value, "; it must be at least ",
                                                   least, ", which is ", other));
    };
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t twice_dense =
        options.dense_step > highest / 2 ? highest : 2 * options.dense_step;
    return first_failure({
        at_least<std::int64_t>("granularity", options.granularity, 1),
        at_least<std::int64_t>("dense_below", options.dense_below, 0),
        at_least<std::int64_t>("dense_step", options.dense_step, 1),
        at_least<std::int64_t>("sparse_step", options.sparse_step, 1),
        not_below("largest_step", options.largest_step, "twice dense_step", twice_dense),
        not_below("largest_step", options.largest_step, "sparse_step", options.sparse_step),
        not_below("largest_empty_step", options.largest_empty_step, "largest_step",
                  options.largest_step),
        at_least<std::uint64_t>("target", options.target, 1),
        at_least("concurrency", options.concurrency, 1),
        at_least<std::int64_t>("coarse_step", options.coarse_step, 1),
        not_below("largest_fine_step", options.largest_fine_step, "dense_step", options.dense_step),
        at_least<std::uint64_t>("most_counts", options.most_counts, 1),
    });
}

}  // namespace bulk
