// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/feed.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Half a million records whose prices are log-normal: some thousand times denser in one place than in
// another. Only the prices are kept; the rest of a record follows from its place, so that the memory of
// the process is that of who reads, not of the source.

namespace workload {

constexpr std::uint64_t record_count = 500'000;
constexpr std::uint32_t page_size = 100;
constexpr std::uint32_t batch_size = 2'000;
constexpr std::uint32_t upsert_size = 100;

using price = bulk::decimal<2>;

struct article {
    std::string id;
    price cost;
    std::string name;
    std::string city;
    std::int64_t stock = 0;
};
BULK_ROW(article, (id, .row_id = true), cost, name, city, stock);

struct listing {
    std::string label;
    price asked;
    bool is_there = false;
};
BULK_ROW(listing, label, asked, is_there);

[[nodiscard]] inline listing listing_of(const article& raw) {
    return {.label = raw.name + ", " + raw.city,
            .asked = {raw.cost.units * 120 / 100},
            .is_there = raw.stock > 0};
}

/// Articles by price.
class catalogue {
public:
    catalogue() {
        std::mt19937_64 random{7};
        std::lognormal_distribution<double> prices{10.5, 1.2};
        for (std::uint64_t i = 0; i < record_count; ++i)
            prices_.push_back(
                std::min(static_cast<std::int64_t>(std::lround(prices(random))), highest));
        std::ranges::sort(prices_);
    }

    static constexpr std::int64_t highest = 50'000'000;

    /// Where the first is that costs at least so much.
    [[nodiscard]] std::uint64_t index_of(std::int64_t cents) const {
        return static_cast<std::uint64_t>(std::ranges::lower_bound(prices_, cents) -
                                          prices_.begin());
    }
    /// Keys are not in the order of prices.
    [[nodiscard]] article at(std::uint64_t index) const {
        const auto number = index * 300'007 % record_count;
        return {.id = "article-" + std::to_string(1'000'000 + number),
                .cost = {prices_[index]},
                .name = "an article of the kind " + std::to_string(number % 977),
                .city = "town " + std::to_string(number % 97),
                .stock = static_cast<std::int64_t>(number % 5)};
    }
    [[nodiscard]] std::vector<article> page(std::uint64_t from, std::uint64_t to) const {
        std::vector<article> found;
        found.reserve(to - from);
        for (; from < to; ++from) found.push_back(at(from));
        return found;
    }

private:
    std::vector<std::int64_t> prices_;
};

inline const catalogue source;

}  // namespace workload
