// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/batch_writer.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/step_transaction.hpp>
#include <bulk/run/stopwatch.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/row_batch.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace bulk {

/// Asks to stop when another asks, or when it is asked itself.
class linked_stop {
public:
    explicit linked_stop(const std::stop_token& other)
        : link_{other, [this] { source_.request_stop(); }} {}

    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
    [[nodiscard]] std::stop_source source() const { return source_; }

private:
    std::stop_source source_;
    std::stop_callback<std::function<void()>> link_;
};

/// What a task has at hand while it works on rows.
struct row_task {
    row_task(const executor& jobs, operation_id operation, std::stop_token stop)
        : watch{jobs},
          writer{watch},
          ctx{context::place{.operation = operation}, std::move(stop)} {}

    /// User code has this row now, at this step.
    void show(row_number number, step_index at) const { seat->show(number, at); }

    /// What the store knows of a row, when an earlier run has begun it.
    [[nodiscard]] std::optional<row_progress> standing(row_number of) const {
        return standings[to_number(of) - first_standing];
    }

    /// A row leaves the task, when what was written of it has been handed over.
    void park(parked_row row, std::optional<timestamp> due) {
        parked.emplace_back(std::move(row), due);
    }

    stopwatch watch;
    batch_writer writer;
    std::uint64_t lent = 1;  ///< so many rows it may do, then it hands them over
    context ctx;
    answer_details details;
    std::vector<std::pair<parked_row, std::optional<timestamp>>> parked;
    std::vector<std::optional<row_progress>> standings;  ///< of the unit's rows, when resumed
    std::uint64_t first_standing = 0;
    std::map<row_number, row_record> interrupted;  ///< of rows that were running or waiting
    flight_seat* seat = &own_seat;                 ///< what user code has, for others to see
    flight_seat own_seat;
    step_transaction* transaction = nullptr;
    bool is_counted = false;            ///< the row at hand, with its last step
    bool began_waits = false;           ///< in a transaction of a step
    std::shared_ptr<step_waits> frame;  ///< of the step at hand, if it is a coroutine
    std::optional<linked_stop> check;   ///< of a step that must be done by `check_until`
    timestamp check_until{};
};

}  // namespace bulk
