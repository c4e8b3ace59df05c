// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/task_board.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <stop_token>
#include <utility>

namespace bulk {

/// A task that is on the board for as long as it is there.
class seen_task : public row_task {
public:
    seen_task(task_board& board, flight_recorder& flights, const executor& jobs,
              operation_id operation, std::stop_token stop)
        : row_task{jobs, operation, std::move(stop)}, board_{board}, flights_{flights} {
        if (flight_seat* free = flights_.take(operation)) seat = free;
        board_.add(*this);
    }
    seen_task(const seen_task&) = delete;
    seen_task& operator=(const seen_task&) = delete;
    ~seen_task() {
        board_.remove(*this);
        if (seat != &own_seat) flights_.give_back(seat);
    }

private:
    task_board& board_;
    flight_recorder& flights_;
};

}  // namespace bulk
