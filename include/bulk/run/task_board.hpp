// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace bulk {

/// What the tasks of a run are doing, for others to see.
class task_board {
public:
    void add(row_task& task) {
        const std::scoped_lock lock{mutex_};
        tasks_.push_back(&task);
    }
    void remove(row_task& task) {
        const std::scoped_lock lock{mutex_};
        std::erase(tasks_, &task);
    }

    /// The rows that user code has now, and their steps.
    [[nodiscard]] std::vector<std::pair<row_number, step_index>> rows() const {
        const std::scoped_lock lock{mutex_};
        std::vector<std::pair<row_number, step_index>> all;
        for (const row_task* each : tasks_)
            if (const auto seen = seen_in(*each->seat)) all.emplace_back(seen->row, seen->step);
        return all;
    }

    /// A step is asked to stop at that time; when somebody has to see to it, if nobody does yet.
    [[nodiscard]] std::optional<timestamp> begin_check(row_task& task, const std::stop_token& stop,
                                                       timestamp until) {
        const std::scoped_lock lock{mutex_};
        task.check.emplace(stop);
        task.check_until = until;
        if (until >= next_) return std::nullopt;
        next_ = until;
        return until;
    }
    void end_check(row_task& task) {
        const std::scoped_lock lock{mutex_};
        task.check.reset();
    }

    /// Asks the steps to stop whose time is over; when to do so again, if there is a need.
    [[nodiscard]] std::optional<timestamp> end_late_checks(timestamp now) {
        std::vector<std::stop_source> late;
        {
            const std::scoped_lock lock{mutex_};
            next_ = timestamp::max();
            for (row_task* each : tasks_) {
                if (!each->check) continue;
                if (each->check_until <= now)
                    late.push_back(each->check->source());
                else
                    next_ = std::min(next_, each->check_until);
            }
        }
        for (auto& each : late) each.request_stop();  // not under the lock: it calls user code
        const std::scoped_lock lock{mutex_};
        if (next_ == timestamp::max()) return std::nullopt;
        return next_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<row_task*> tasks_;
    timestamp next_ = timestamp::max();
};

}  // namespace bulk
