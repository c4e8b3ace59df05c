// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// Where rows are, by number: a hash table of four bytes an entry, since there may be a million and a
/// node for each would cost more than what it finds. `row_at(place)` tells the row of a place.
class row_index {
public:
    /// A row that is not in yet, and is at its place already.
    template <typename RowAt>
    void insert(std::uint64_t row, std::uint32_t place, RowAt row_at) {
        if ((size_ + 1) * 4 > places_.size() * 3) grow(row_at);
        put(row, place);
        ++size_;
    }

    template <typename RowAt>
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t row, RowAt row_at) const {
        if (size_ == 0) return std::nullopt;
        for (std::size_t at = home(row); places_[at] != none; at = next(at))
            if (row_at(places_[at]) == row) return places_[at];
        return std::nullopt;
    }

    template <typename RowAt>
    void erase(std::uint64_t row, RowAt row_at) {
        if (size_ == 0) return;
        std::size_t at = home(row);
        while (places_[at] == none || row_at(places_[at]) != row) {
            if (places_[at] == none) return;
            at = next(at);
        }
        --size_;
        // Those behind move up, unless they would get before where they belong.
        for (std::size_t from = next(at); places_[from] != none; from = next(from)) {
            const std::size_t wanted = home(row_at(places_[from]));
            const std::size_t mask = places_.size() - 1;
            if (((from - wanted) & mask) >= ((from - at) & mask)) {
                places_[at] = places_[from];
                at = from;
            }
        }
        places_[at] = none;
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    [[nodiscard]] std::size_t home(std::uint64_t row) const {
        return static_cast<std::size_t>((row * 0x9e3779b97f4a7c15ULL) >> 20) & (places_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

    void put(std::uint64_t row, std::uint32_t place) {
        std::size_t at = home(row);
        while (places_[at] != none) at = next(at);
        places_[at] = place;
    }

    template <typename RowAt>
    void grow(RowAt row_at) {
        const auto before = std::exchange(
            places_, std::vector<std::uint32_t>(places_.empty() ? 64 : 2 * places_.size(), none));
        for (const auto place : before)
            if (place != none) put(row_at(place), place);
    }

    std::vector<std::uint32_t> places_;  ///< a power of two of them
    std::size_t size_ = 0;
};

}  // namespace bulk
