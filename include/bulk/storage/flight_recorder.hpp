// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

/// What one task has in its hands: a row of an operation, at a step. Only plain atomic numbers, so
/// that it can lie in memory that outlives the process. Writing it costs two stores a step.
struct flight_seat {
    std::atomic<std::uint64_t> operation_high{0};
    std::atomic<std::uint64_t> operation_low{0};
    std::atomic<std::uint64_t> row{0};  ///< 0: user code has none
    std::atomic<std::int64_t> step{0};

    void show(row_number number, step_index at) {
        row.store(to_number(number), std::memory_order_relaxed);
        step.store(to_number(at), std::memory_order_relaxed);
    }
    void clear() { row.store(0, std::memory_order_relaxed); }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(flight_seat) == 32);

/// A row that user code had.
struct row_in_flight {
    operation_id operation{};
    row_number row{};
    step_index step{};

    bool operator==(const row_in_flight&) const = default;
};

[[nodiscard]] inline std::optional<row_in_flight> seen_in(const flight_seat& seat) {
    const auto row = seat.row.load(std::memory_order_relaxed);
    if (row == 0) return std::nullopt;
    return row_in_flight{
        .operation = {{.high = seat.operation_high.load(std::memory_order_relaxed),
                       .low = seat.operation_low.load(std::memory_order_relaxed)}},
        .row = row_number{row},
        .step = static_cast<step_index>(seat.step.load(std::memory_order_relaxed))};
}

/// The rows that are in user code at this moment, kept where whoever comes after a crash of the
/// process finds them: so a row that takes the process with it is known.
class flight_recorder {
public:
    /// `seats` are kept by `memory`, in whichever place that is.
    flight_recorder(std::span<flight_seat> seats, std::shared_ptr<void> memory)
        : memory_{std::move(memory)} {
        free_.reserve(seats.size());
        for (auto& each : seats) free_.push_back(&each);
    }

    /// A seat for a task of the operation; null when all are taken.
    [[nodiscard]] flight_seat* take(operation_id operation);
    void give_back(flight_seat* seat);

private:
    std::shared_ptr<void> memory_;
    std::mutex mutex_;
    std::vector<flight_seat*> free_;
};

/// How often a process died while it worked on a row.
struct crashed_row {
    row_number row{};
    step_index step{};  ///< where it was the last time
    std::uint32_t count = 0;

    bool operator==(const crashed_row&) const = default;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/storage/batch_implementation.hpp>
#endif
