// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/parking_lot.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace bulk {

[[nodiscard]] inline bool waits_for_signal(const parked_row& row) {
    if (row.reason == park_reason::signal) return true;
    return row.frame != nullptr && std::holds_alternative<signal_request>((*row.frame)->waiting());
}

/// Whether that is what the row waits for. A coroutine that was told something and failed before it
/// came back to where it had waited may wait for something else at its next try, or at its next step.
[[nodiscard]] inline bool waits_for(const parked_row& row, const given_signal& told) {
    if (row.step != told.step) return false;
    if (row.reason == park_reason::signal) return true;
    if (row.frame == nullptr) return false;
    const auto* wanted = std::get_if<signal_request>(&(*row.frame)->waiting());
    return wanted != nullptr && wanted->key == told.key;
}

/// The rows of one operation that wait, those that are ready to go on, and what rows were told that
/// nobody has seen yet. Its owner has the lock.
class waiting_rows {
public:
    explicit waiting_rows(observer& watch) : watch_{watch} {}

    /// A row waits, unless what it waits for has come already.
    void park(parked_row row, std::optional<timestamp> due) {
        const auto told = unclaimed_.find(row.row);
        if (told != unclaimed_.end() && waits_for(row, told->second)) {
            ready_.push_back({std::move(row), std::move(told->second)});
            unclaimed_.erase(told);
            return;
        }
        watch_.note_waiting(1);
        lot_.park(std::move(row), due);
    }

    /// A row goes on, if it waits.
    bool unpark(row_number row, std::optional<given_signal> told = {}) {
        auto parked = lot_.take(row);
        if (!parked) return false;
        watch_.note_waiting(-1);
        ready_.push_back({std::move(*parked), std::move(told)});
        return true;
    }

    void unpark_due(timestamp now) {
        while (auto due = lot_.take_due(now)) {
            watch_.note_waiting(-1);
            ready_.push_back({std::move(*due), {}});
        }
    }

    /// Rows were told something. Those that do not wait for it are still to be read, or on their way.
    void tell(std::vector<given_signal> told) {
        for (auto& each : told) {
            last_signal_ = std::max(last_signal_, each.sequence);
            if (used_.contains(each.sequence)) continue;
            const row_number row = each.row;
            const parked_row* parked = lot_.find(row);
            if (parked != nullptr && waits_for(*parked, each))
                unpark(row, std::move(each));
            else
                unclaimed_.insert_or_assign(row, std::move(each));
        }
        used_.erase(used_.begin(), used_.upper_bound(last_signal_));
    }
    [[nodiscard]] std::uint64_t last_signal() const { return last_signal_; }

    /// A row goes on: what it was told is on its way with it, and is not for its next wait. One that
    /// was asked for in the last moment may still be found by a look.
    void forget_signal(const woken_row& woken) {
        if (!waits_for_signal(woken.row)) return;
        unclaimed_.erase(woken.row.row);
        if (woken.told && woken.told->sequence > last_signal_) used_.insert(woken.told->sequence);
    }

    [[nodiscard]] std::optional<woken_row> take_ready() {
        if (ready_.empty()) return std::nullopt;
        woken_row row = std::move(ready_.front());
        ready_.pop_front();
        return row;
    }
    void put_back(woken_row row) { ready_.push_front(std::move(row)); }
    [[nodiscard]] std::size_t ready() const { return ready_.size(); }

    [[nodiscard]] bool is_waiting() const { return !lot_.empty(); }
    [[nodiscard]] bool empty() const { return lot_.empty() && ready_.empty(); }

    /// When the next row is due, if nobody was told to look by then; the caller is told now.
    [[nodiscard]] std::optional<timestamp> next_look() {
        const auto due = lot_.next_due();
        if (!due || *due >= next_look_) return std::nullopt;
        next_look_ = *due;
        return due;
    }
    void looked() { next_look_ = timestamp::max(); }

    void clear() {
        watch_.note_waiting(-static_cast<int>(lot_.size()));
        lot_.clear();
        ready_.clear();
        unclaimed_.clear();
        used_.clear();
    }

private:
    observer& watch_;
    parking_lot lot_;
    std::deque<woken_row> ready_;
    std::map<row_number, given_signal> unclaimed_;
    std::set<std::uint64_t> used_;  ///< signals behind the last that no look has found yet
    std::uint64_t last_signal_ = 0;
    timestamp next_look_ = timestamp::max();
};

}  // namespace bulk
