// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/run/owned_row.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/storage/row_batch.hpp>

#include <memory>

namespace bulk {

/// What a row on its way needs of the run that it is part of, seldom enough to be virtual.
template <typename Row>
class row_host {
public:
    row_host() = default;
    row_host(const row_host&) = delete;
    row_host& operator=(const row_host&) = delete;
    virtual ~row_host() = default;

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

    /// The row at that place, with everything that it refers to.
    [[nodiscard]] virtual std::unique_ptr<owned_row<Row>> own(const row_place& place) = 0;
};

}  // namespace bulk
