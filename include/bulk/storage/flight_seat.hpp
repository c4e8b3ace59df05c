// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

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

}  // namespace bulk
