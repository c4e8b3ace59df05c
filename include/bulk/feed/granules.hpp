// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_partition.hpp>

#include <algorithm>
#include <cstdint>

namespace bulk {

// A feed is cut only between granules: a granule is so many places of its axis, the first of them a
// multiple of that. An hour of microseconds, a hundred cents. Granules are numbered; number 0 begins
// at place 0, those before it have negative numbers.

/// Holds the granule behind the last one of any axis, and what is multiplied with it below.
// NOLINTNEXTLINE(modernize-use-using): no alias can be an extension
__extension__ typedef __int128 granule;

/// Some granules in a row: `end` is behind the last of them.
struct granule_span {
    granule begin = 0;
    granule end = 0;

    [[nodiscard]] constexpr granule width() const { return end - begin; }

    bool operator==(const granule_span&) const = default;
};

[[nodiscard]] constexpr granule granule_at(std::int64_t place, std::int64_t granularity) {
    const std::int64_t rounded = place / granularity;
    return rounded * granularity > place ? granule{rounded} - 1 : granule{rounded};
}

/// The granules that the range touches, also those of which it has only a part.
[[nodiscard]] constexpr granule_span granules_of(const key_range& range, std::int64_t granularity) {
    return {.begin = granule_at(range.first, granularity),
            .end = granule_at(range.last, granularity) + 1};
}

/// Every place of the granules that is within the range, up to the last one before the next granule:
/// what lies between two multiples of the granularity belongs to somebody.
[[nodiscard]] constexpr key_range places_of(const granule_span& span, const key_range& within,
                                            std::int64_t granularity) {
    return {
        .first =
            static_cast<std::int64_t>(std::max<granule>(span.begin * granularity, within.first)),
        .last =
            static_cast<std::int64_t>(std::min<granule>(span.end * granularity - 1, within.last))};
}

/// Where part `index` of so many begins. They are equally wide, up to one granule, and `parts` must
/// not be more than there are granules, so that each has one at least.
[[nodiscard]] constexpr granule begin_of_part(const granule_span& whole, std::uint64_t index,
                                              std::uint64_t parts) {
    // Whole parts and the rest apart: the product of width and index might not fit.
    const granule each = whole.width() / parts;
    const granule rest = whole.width() % parts;
    return whole.begin + each * index + rest * index / parts;
}

[[nodiscard]] constexpr granule_span part_of(const granule_span& whole, std::uint64_t index,
                                             std::uint64_t parts) {
    return {.begin = begin_of_part(whole, index, parts),
            .end = begin_of_part(whole, index + 1, parts)};
}

/// In how many parts so many records are to be divided, so that each has about `target`; 1 when
/// there are at most half as many again, which is not worth it, or when there is only one granule.
[[nodiscard]] constexpr std::uint64_t parts_for(std::uint64_t records, std::uint64_t target,
                                                const granule_span& span) {
    if (granule{records} * 2 <= granule{target} * 3) return 1;
    return static_cast<std::uint64_t>(
        std::min<granule>((granule{records} + target - 1) / target, span.width()));
}

/// Of records that are spread evenly over a span, how many are before granule `at` of it.
[[nodiscard]] constexpr std::uint64_t share_before(std::uint64_t records, const granule_span& span,
                                                   granule at) {
    __extension__ using product = unsigned __int128;
    return static_cast<std::uint64_t>(product{records} * static_cast<product>(at - span.begin) /
                                      static_cast<product>(span.width()));
}

static_assert(granule_at(-1, 100) == -1 && granule_at(-100, 100) == -1 && granule_at(99, 100) == 0);
static_assert(places_of(granules_of({-5, 250}, 100), {-5, 250}, 100) == key_range{-5, 250});
static_assert(part_of({0, 10}, 2, 3) == granule_span{6, 10});
static_assert(parts_for(3'750, 2'500, {0, 100}) == 1 && parts_for(3'751, 2'500, {0, 100}) == 2);
static_assert(parts_for(9'000, 2'500, {0, 3}) == 3);

}  // namespace bulk
