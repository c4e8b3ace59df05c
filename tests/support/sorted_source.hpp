#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/feed_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace support {

/// A source that knows the places of all its records, and remembers what it was asked to count.
class sorted_source {
public:
    explicit sorted_source(std::vector<std::int64_t> places) : places_{std::move(places)} {
        std::ranges::sort(places_);
    }

    [[nodiscard]] std::uint64_t within(const bulk::key_range& range) const {
        return static_cast<std::uint64_t>(std::ranges::upper_bound(places_, range.last) -
                                          std::ranges::lower_bound(places_, range.first));
    }

    bulk::result<std::vector<std::uint64_t>> operator()(std::span<const bulk::key_range> ranges) {
        batches.push_back(ranges.size());
        std::vector<std::uint64_t> counts;
        for (const auto& range : ranges) {
            asked.push_back(range);
            counts.push_back(within(range));
        }
        return counts;
    }

    [[nodiscard]] const std::vector<std::int64_t>& places() const { return places_; }

    std::vector<bulk::key_range> asked{};
    std::vector<std::size_t> batches{};

private:
    std::vector<std::int64_t> places_;
};

/// So many records at each of the places from `first` to `last`.
inline void add_records(std::vector<std::int64_t>& places, std::int64_t first, std::int64_t last,
                        int at_each) {
    for (std::int64_t place = first; place <= last; ++place)
        places.insert(places.end(), static_cast<std::size_t>(at_each), place);
}

}  // namespace support
