// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/outage.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/unit_pace.hpp>
#include <bulk/run/waiting_rows.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace bulk {

/// The rows of a run that wait, and what wakes them: their time, a signal, or a coroutine's own event.
class wakeup {
public:
    using locked = run_lifecycle::locked;

    wakeup(run_core& core, outage& trouble) : core_{core}, outage_{trouble} {}

    // --- under the lock --------------------------------------------------------------------------

    void park(const locked&, parked_row row, std::optional<timestamp> due) {
        const row_number number = row.row;
        const auto frame = row.frame != nullptr ? *row.frame : nullptr;
        // What waits in memory is due by a clock that nobody sets.
        const auto set_back = core_.clock_set_back();
        if (due) *due += set_back;
        if (row.deadline != parked_row::no_deadline) row.deadline += set_back;
        rows_.park(std::move(row), due);
        if (frame == nullptr || !std::holds_alternative<step_waits::outside>(frame->waiting()))
            return;
        const bool waits = frame->park(core_.jobs.if_alive([this, number] { arrived(number); }));
        if (!waits) rows_.unpark(number);
    }

    /// Schedules a look for the time when the next row is due.
    void arm(const locked&) {
        if (const auto due = rows_.next_look())
            core_.jobs.submit_at(*due, [this] { look_for_due(); });
    }

    [[nodiscard]] bool is_waiting(const locked&) const { return rows_.is_waiting(); }
    /// Whether no row waits, and none is ready to continue.
    [[nodiscard]] bool empty(const locked&) const { return rows_.empty(); }
    [[nodiscard]] std::size_t ready(const locked&) const { return rows_.ready(); }

    /// Rows that are ready: one task's share, and no more than a unit of work.
    [[nodiscard]] std::vector<woken_row> take_ready(const locked&) {
        std::vector<woken_row> taken;
        const std::size_t tasks = core_.concurrency();
        const std::size_t share = (rows_.ready() + tasks - 1) / tasks;
        for (auto left = std::min<std::size_t>(share, pace_.rows()); left > 0; --left)
            if (auto row = rows_.take_ready()) taken.push_back(std::move(*row));
        return taken;
    }
    /// How long so many woken rows took.
    void learn(const locked&, std::chrono::microseconds took, std::size_t rows) {
        pace_.learn(took, rows);
    }

    void clear(const locked&) { rows_.clear(); }

    // --- without it ------------------------------------------------------------------------------

    /// Wakes the rows that were sent a signal since the last look, by any process.
    void look_for_signals() {
        constexpr std::uint32_t many = largest_page;
        std::uint64_t after = 0;
        {
            const locked now{core_.lifecycle};
            if (now->phase != run_phase::running || core_.lifecycle.is_stopping() || is_looking_)
                return;
            is_looking_ = true;
            after = rows_.last_signal();
        }
        auto given = core_.around.storage.signals(core_.id(), after, many);
        const locked now{core_.lifecycle};
        is_looking_ = false;
        if (!given || now->phase == run_phase::ended) return;  // the next heartbeat looks again
        if (given->size() == many) core_.control.look_for_signals();
        rows_.tell(std::move(*given));
        core_.control.start_tasks(now);
    }

    /// A row that was taken is about to continue. False if it has to wait on.
    [[nodiscard]] bool release(woken_row& woken) {
        if (!woken.told && waits_for_signal(woken.row) && !ask_for_last_signal(woken)) return false;
        if (woken.row.deadline != parked_row::no_deadline)
            woken.row.deadline -= core_.clock_set_back();
        const locked now{core_.lifecycle};
        rows_.forget_signal(woken);
        return true;
    }

private:
    /// What a coroutine waited for outside of bulk. From any thread.
    void arrived(row_number row) {
        const locked now{core_.lifecycle};
        if (now->phase != run_phase::ended && rows_.unpark(row)) core_.control.start_tasks(now);
    }

    void look_for_due() {
        const locked now{core_.lifecycle};
        rows_.looked();
        if (now->phase == run_phase::ended) return;
        rows_.unpark_due(core_.around.jobs.steady_now());
        arm(now);
        core_.control.start_tasks(now);
    }

    /// A wait for a signal has timed out, unless a signal has just arrived. The storage decides, when it has
    /// the record of the wait. False if it cannot: then the row waits on.
    [[nodiscard]] bool ask_for_last_signal(woken_row& woken) {
        result<std::optional<given_signal>> closed;
        if (const auto written = core_.recorded.flush())
            closed = core_.around.storage.close_wait(core_.operation.held(), woken.row.row,
                                                     woken.row.step);
        else
            closed = std::unexpected{written.error()};
        if (closed) {
            woken.told = std::move(*closed);
            return true;
        }
        const locked now{core_.lifecycle};
        rows_.put_back(std::move(woken));
        outage_.block(now, closed.error());
        return false;
    }

    run_core& core_;
    outage& outage_;
    waiting_rows rows_{core_.around.watch};
    unit_pace pace_;
    bool is_looking_ = false;
};

}  // namespace bulk
