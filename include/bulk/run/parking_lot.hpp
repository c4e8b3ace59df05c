// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
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
            place = static_cast<std::uint32_t>(uses_.size());
            if (place % block == 0) slots_.push_back(std::make_unique<parked_row[]>(block));
            uses_.push_back(0);
        } else {
            place = free_.back();
            free_.pop_back();
        }
        const auto number = to_number(row.row);
        slot(place) = std::move(row);
        index_.insert(number, place, row_at());
        if (due) {
            deadlines_.push_back({*due, place, uses_[place]});
            std::ranges::push_heap(deadlines_, is_later);
        }
        ++size_;
    }

    [[nodiscard]] const parked_row* find(row_number row) {
        const auto place = index_.find(to_number(row), row_at());
        return place ? &slot(*place) : nullptr;
    }

    /// That row, if it is here.
    [[nodiscard]] std::optional<parked_row> take(row_number row) {
        const auto place = index_.find(to_number(row), row_at());
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
    struct deadline {
        timestamp due{};
        std::uint32_t place = 0;
        std::uint32_t use = 0;
    };
    static constexpr auto is_later = [](const deadline& a, const deadline& b) {
        return std::pair{a.due, a.place} > std::pair{b.due, b.place};
    };

    [[nodiscard]] parked_row& slot(std::uint32_t place) {
        return slots_[place / block][place % block];
    }
    struct row_at_place {
        parking_lot& lot;
        std::uint64_t operator()(std::uint32_t place) const {
            return to_number(lot.slot(place).row);
        }
    };
    [[nodiscard]] row_at_place row_at() { return {*this}; }

    [[nodiscard]] parked_row take_from(std::uint32_t place) {
        index_.erase(to_number(slot(place).row), row_at());
        parked_row row = std::exchange(slot(place), {});
        ++uses_[place];
        free_.push_back(place);
        --size_;
        return row;
    }

    void pop() {
        std::ranges::pop_heap(deadlines_, is_later);
        deadlines_.pop_back();
    }

    [[nodiscard]] bool is_stale(const deadline& each) const {
        return uses_[each.place] != each.use;
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

    static constexpr std::uint32_t block = 1024;
    std::vector<std::unique_ptr<parked_row[]>> slots_;  ///< in blocks, which stay where they are
    std::vector<std::uint32_t> uses_;  ///< how often a slot was emptied: older deadlines are stale
    std::vector<std::uint32_t> free_;
    std::vector<deadline> deadlines_;  ///< a heap
    row_index index_;
    std::size_t size_ = 0;
};

}  // namespace bulk
