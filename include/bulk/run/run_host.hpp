// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/run/crashed_rows.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/storage/row_batch.hpp>

#include <atomic>

namespace bulk {

/// What rows on their way need of the run that they are part of, seldom enough to be virtual.
class run_host {
public:
    run_host() = default;
    run_host(const run_host&) = delete;
    run_host& operator=(const run_host&) = delete;

    /// Whether rows are told to stop and go on later: what fails then has not failed.
    [[nodiscard]] virtual bool is_interrupting() const = 0;

    /// Asks `at.check` to stop at `until`; until `end_watch`.
    virtual void begin_watch(row_task& at, timestamp until) = 0;
    virtual void end_watch(row_task& at) = 0;

    /// Stores what was found out, in the transaction that the step at hand has opened. False when it
    /// could not be: then nothing of it is.
    [[nodiscard]] virtual bool commit(row_task& at, const row_batch& earlier,
                                      const row_batch& own) = 0;

    /// The storage did not answer: nothing new begins until it does.
    virtual void hold_up(const error& why) = 0;

    /// Writes down what a task has, and parks its rows; whether it may go on.
    virtual bool hand_over(row_task& at) = 0;

    /// The pass that is open.
    [[nodiscard]] virtual unit_source& rows() = 0;

protected:
    ~run_host() = default;
};

/// What a task knows of the pass that its rows are part of.
struct pass_state {
    bool is_validating;
    bool is_resumed;  ///< an earlier run has begun the operation: rows may have records
    const crashed_rows& crashed;
    const std::atomic<bool>& is_stopping;
};

}  // namespace bulk
