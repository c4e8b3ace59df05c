// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/row_pass.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/waiting_rows.hpp>
#include <bulk/run/wakeup.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// Keeps as many tasks of a run at work as may run and have something to do. Tasks of all operations of a
/// service take turns.
class task_pump {
public:
    using locked = run_lifecycle::locked;

    task_pump(run_core& core, wakeup& waits, row_pass& rows)
        : core_{core}, wakeup_{waits}, rows_{rows}, limit_{core.concurrency()} {}

    /// Starts the tasks that are missing. At the end of a task one of them gets its turn; returns whether there
    /// was one.
    bool start(const locked& now, bool at_end_of_task = false) {
        const bool has_turn = at_end_of_task;
        if (now->is_busy || core_.lifecycle.is_stopping() || now->is_blocked) return false;
        std::size_t wanted = wakeup_.ready(now) + rows_.wanted(now, limit_);
        while (now->active < limit_ && wanted > 0) {
            job next{core_.jobs.keeping_alive([this] { work(); })};
            is_resting_ = false;
            ++now->active;
            --wanted;
            if (std::exchange(at_end_of_task, false))
                core_.around.row_turns.ask_next(this, std::move(next));
            else
                core_.around.row_turns.ask(this, std::move(next));
        }
        return has_turn && !at_end_of_task;
    }

    /// The run stops: tasks that wait for their turn end at once.
    void hurry() { core_.around.row_turns.hurry(this); }

    /// Whether all that is left to do is to wait.
    [[nodiscard]] bool is_resting() const { return is_resting_.load(); }

private:
    /// One task: some rows that have waited, or one unit of rows; then the next task's turn, which
    /// may be another operation's.
    void work() {
        bool has_turn = true;  // and is one of the active ones
        try {
            work(has_turn);
        } catch (...) {
            const locked now{core_.lifecycle};
            if (has_turn) {
                --now->active;
                core_.around.row_turns.end();
            }
            core_.control.interrupt(now, thrown_text());
        }
    }

    void work(bool& has_turn) {
        std::vector<woken_row> woken;
        std::optional<row_unit> unit;
        run_phase phase{};
        {
            const locked now{core_.lifecycle};
            phase = now->phase;
            if (!core_.lifecycle.is_stopping() && !now->is_blocked) {
                woken = wakeup_.take_ready(now);
                if (woken.empty()) unit = rows_.take(now);
            }
            if (woken.empty() && !unit) {
                has_turn = false;
                --now->active;
                core_.around.row_turns.end();
                return core_.control.end_if_idle(now);
            }
        }
        if (unit)
            rows_.read(*unit, phase);
        else
            rows_.wake(std::move(woken));
        const locked now{core_.lifecycle};
        has_turn = false;
        --now->active;
        if (!start(now, true)) core_.around.row_turns.end();
        rest_if_idle(now);
        core_.control.end_if_idle(now);
    }

    /// Tells others when nothing is left but to wait.
    void rest_if_idle(const locked& now) {
        if (now->active > 0 || !rows_.is_done(now) || wakeup_.ready(now) > 0 ||
            !wakeup_.is_waiting(now))
            return;
        if (!is_resting_.exchange(true)) core_.around.on_rest();
    }

    run_core& core_;
    wakeup& wakeup_;
    row_pass& rows_;
    const std::size_t limit_;
    std::atomic<bool> is_resting_{false};
};

}  // namespace bulk
