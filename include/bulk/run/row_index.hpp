// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// Where rows are, by number: a hash table of flat entries, since there may be a million and a node
/// for each would cost more than what it finds.
class row_index {
public:
    /// `row` is greater than 0 and not in yet.
    void insert(std::uint64_t row, std::uint32_t place) {
        if ((size_ + 1) * 4 > entries_.size() * 3) grow();
        put({row, place});
        ++size_;
    }

    [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t row) const {
        if (size_ == 0) return std::nullopt;
        for (std::size_t at = home(row);; at = next(at)) {
            if (entries_[at].row == row) return entries_[at].place;
            if (entries_[at].row == 0) return std::nullopt;
        }
    }

    void erase(std::uint64_t row) {
        if (size_ == 0) return;
        std::size_t at = home(row);
        while (entries_[at].row != row) {
            if (entries_[at].row == 0) return;
            at = next(at);
        }
        --size_;
        // Those behind move up, unless they would get before where they belong.
        for (std::size_t from = next(at); entries_[from].row != 0; from = next(from)) {
            const std::size_t wanted = home(entries_[from].row);
            const std::size_t mask = entries_.size() - 1;
            if (((from - wanted) & mask) >= ((from - at) & mask)) {
                entries_[at] = entries_[from];
                at = from;
            }
        }
        entries_[at] = {};
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    /// Twelve bytes, not sixteen.
    struct [[gnu::packed]] entry {
        std::uint64_t row = 0;  ///< 0 is none
        std::uint32_t place = 0;
    };

    [[nodiscard]] std::size_t home(std::uint64_t row) const {
        return static_cast<std::size_t>((row * 0x9e3779b97f4a7c15ULL) >> 20) &
               (entries_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const {
        return (at + 1) & (entries_.size() - 1);
    }

    void put(entry each) {
        std::size_t at = home(each.row);
        while (entries_[at].row != 0) at = next(at);
        entries_[at] = each;
    }

    void grow() {
        const auto before = std::exchange(
            entries_, std::vector<entry>(entries_.empty() ? 64 : 2 * entries_.size()));
        for (const entry each : before)
            if (each.row != 0) put(each);
    }

    std::vector<entry> entries_;  ///< a power of two of them
    std::size_t size_ = 0;
};

}  // namespace bulk
