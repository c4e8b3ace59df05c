// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// The rows of one operation that wait: found by number and by when they are due. Knows no clock and
/// no lock; its owner has both.
class parking_lot {
public:
    /// A row that is due then, or when somebody takes it out.
    void park(parked_row row, std::optional<timestamp> due) {
        std::uint32_t place = 0;
        if (free_.empty()) {
            place = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back();
        } else {
            place = free_.back();
            free_.pop_back();
        }
        index_.insert(to_number(row.row), place);
        slots_[place].row = std::move(row);
        if (due) {
            deadlines_.push_back({*due, place, slots_[place].use});
            std::ranges::push_heap(deadlines_, is_later);
        }
        ++size_;
    }

    /// That row, if it is here.
    [[nodiscard]] std::optional<parked_row> take(row_number row) {
        const auto place = index_.find(to_number(row));
        if (!place) return std::nullopt;
        return take_from(*place);
    }

    /// One that is due.
    [[nodiscard]] std::optional<parked_row> take_due(timestamp now) {
        drop_stale();
        if (deadlines_.empty() || deadlines_.front().due > now) return std::nullopt;
        const auto place = deadlines_.front().place;
        pop();
        return take_from(place);
    }

    [[nodiscard]] std::optional<timestamp> next_due() {
        drop_stale();
        if (deadlines_.empty()) return std::nullopt;
        return deadlines_.front().due;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

    void clear() { *this = {}; }

private:
    struct slot {
        parked_row row{};
        std::uint32_t use = 0;  ///< how often it was emptied: deadlines of earlier uses are stale
    };
    struct deadline {
        timestamp due{};
        std::uint32_t place = 0;
        std::uint32_t use = 0;
    };
    static constexpr auto is_later = [](const deadline& a, const deadline& b) {
        return std::pair{a.due, a.place} > std::pair{b.due, b.place};
    };

    [[nodiscard]] parked_row take_from(std::uint32_t place) {
        slot& from = slots_[place];
        parked_row row = std::exchange(from.row, {});
        ++from.use;
        free_.push_back(place);
        index_.erase(to_number(row.row));
        --size_;
        return row;
    }

    void pop() {
        std::ranges::pop_heap(deadlines_, is_later);
        deadlines_.pop_back();
    }

    [[nodiscard]] bool is_stale(const deadline& each) const {
        return slots_[each.place].use != each.use;
    }

    /// A row that was taken out leaves its deadline behind until that comes up, or until there are
    /// more of those than of others.
    void drop_stale() {
        while (!deadlines_.empty() && is_stale(deadlines_.front())) pop();
        if (deadlines_.size() > 2 * size_ + 64) {
            std::erase_if(deadlines_, [this](const deadline& each) { return is_stale(each); });
            std::ranges::make_heap(deadlines_, is_later);
        }
    }

    std::deque<slot> slots_;
    std::vector<std::uint32_t> free_;
    std::vector<deadline> deadlines_;  ///< a heap
    row_index index_;
    std::size_t size_ = 0;
};

}  // namespace bulk
