// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/flight_seat.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

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
