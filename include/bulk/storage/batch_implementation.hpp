// SPDX-License-Identifier: MIT
#pragma once

// What batches of rows and the flight recorder do: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE bool row_batch::empty() const {
    return completed.empty() && records.empty() && row_ids.empty() && events.empty() &&
           counted == row_counters{};
}

BULK_INLINE void row_batch::clear() {
    completed.clear();
    records.clear();
    row_ids.clear();
    events.clear();
    counted = {};
}

BULK_INLINE void append(row_batch& batch, row_batch& later) {
    const auto move_all = [](auto& from, auto& to) {
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
    };
    move_all(later.completed, batch.completed);
    move_all(later.records, batch.records);
    move_all(later.row_ids, batch.row_ids);
    move_all(later.events, batch.events);
    add(batch.counted, later.counted);
}

BULK_INLINE bool begins_waits(const row_batch& batch) {
    return std::ranges::any_of(batch.records, [](const row_record& each) {
        return each.state == row_state::waiting_for_completion && !each.signal_key.empty();
    });
}

BULK_INLINE flight_seat* flight_recorder::take(operation_id operation) {
    const std::scoped_lock lock{mutex_};
    if (free_.empty()) return nullptr;
    flight_seat* seat = free_.back();
    free_.pop_back();
    seat->clear();
    seat->operation_high.store(operation.value.high, std::memory_order_relaxed);
    seat->operation_low.store(operation.value.low, std::memory_order_relaxed);
    return seat;
}

BULK_INLINE void flight_recorder::give_back(flight_seat* seat) {
    seat->clear();
    const std::scoped_lock lock{mutex_};
    free_.push_back(seat);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
