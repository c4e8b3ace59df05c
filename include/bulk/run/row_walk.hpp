// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/operation/step_table.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_consequences.hpp>
#include <bulk/run/row_copies.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/run_host.hpp>
#include <bulk/run/step_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bulk {

/// Where a row begins, or goes on.
struct row_start {
    int step = 0;
    std::uint32_t attempt = 1;
    std::uint32_t retry_attempt = 0;
    const row_record* before = nullptr;  ///< what an earlier run has written of this step
};

/// The way of rows through the steps of an operation. A row that is quick and goes well costs the
/// calls of its steps and little else; everything else is apart. Used by all tasks of a run at once.
template <typename Op>
class row_walk {
public:
    using row_type = typename Op::row_type;

    row_walk(operation_instance<Op>& instance, executor& jobs, run_host& host,
             row_copies<row_type>& copies, const row_outcomes<Op>& outcomes)
        : instance_{instance},
          host_{host},
          calls_{instance, host, copies},
          consequences_{jobs, host, outcomes} {}

    /// A row through its steps, from where it begins.
    void walk(row_task& at, const row_type& row, const row_place& place, row_start start) {
        const bool is_exact = at.watch.is_exact();
        // What has waited is not one of many that are quick.
        bool is_timed = is_exact || start.attempt > 1 || start.before != nullptr;
        timestamp began = is_timed ? at.watch.now() : timestamp{};
        int done = start.step;
        int quick = done;  // from here on steps were done quickly, and are not written yet
        const bool finished = instance_.steps().visit_from(
            static_cast<std::size_t>(start.step), [&]<typename Step>(const Step& step) {
                enter(at, place.number(), step, start.attempt);
                answer said = answer::done;
                if constexpr (step_calls<Op>::template is_plain<Step>) {
                    said = call_step(step, row, instance_.metadata(), at.ctx, at.details);
                    if (said == answer::done && !is_timed && !at.transaction->is_asked())
                        [[likely]] {
                        if (start.retry_attempt > 0) [[unlikely]] {
                            consequences_.retry_quickly_done(
                                at, place.number(), done, std::exchange(start, {}).retry_attempt);
                            quick = done + 1;
                        }
                        ++done;
                        return true;
                    }
                }
                visit here{.row = row,
                           .place = place,
                           .attempt = start.attempt,
                           .retry_attempt = start.retry_attempt,
                           .began = began,
                           .before = start.before};
                if constexpr (!step_calls<Op>::template is_plain<Step>)
                    said = calls_.call(at, step, here);
                if (!is_timed)
                    here.began = consequences_.quick_part(at, place.number(), quick, done);
                if (!conclude(at, step.description, said, here)) return false;
                quick = ++done;
                began = here.ended;
                start = {};
                is_timed = is_exact;
                return true;
            });
        if (finished) {
            if (quick <= to_number(last_step))
                at.writer.quickly_done(place.number(), static_cast<step_index>(quick), last_step);
            if (!std::exchange(at.is_counted, false)) at.writer.count(true);
        } else {
            at.writer.pass();
        }
        if (at.watch.end_row()) at.writer.close_window();
    }

    /// A row that an earlier run has left running or waiting, as its record says.
    void go_back(row_task& at, const row_type& row, const row_place& place,
                 const row_record& before) {
        const row_start start{.step = to_number(before.step),
                              .attempt = before.attempt,
                              .retry_attempt = before.retry_attempt,
                              .before = &before};
        const timestamp now = at.watch.now();
        if (before.state == row_state::running) {  // its next try may be due only later
            if (!before.wait_until || *before.wait_until <= now)
                return walk(at, row, place,
                            {start.step, before.attempt + 1, before.retry_attempt, &before});
            at.writer.pass();
            return consequences_.wait_on(at, row, place, before, park_reason::back_off,
                                         before.wait_until);
        }
        bool begins_anew = false;
        (void)instance_.steps().visit_from(
            static_cast<std::size_t>(start.step), [&]<typename Step>(const Step&) {
                if constexpr (step_calls<Op>::template is_coroutine<Step>)
                    begins_anew = true;
                else if (!before.signal_key.empty())
                    consequences_.wait_on(at, row, place, before, park_reason::signal,
                                          before.wait_until);
                else
                    consequences_.wait_on(
                        at, row, place, before,
                        Step::kind == step_kind::polled ? park_reason::check : park_reason::repeat,
                        now);
                return false;
            });
        if (begins_anew) return walk(at, row, place, start);
        at.writer.pass();
    }

    /// A row whose wait is over goes on with the step that it was at.
    void go_on(row_task& at, const row_type& row, woken_row woken) {
        parked_row& parked = woken.row;
        const row_place place{parked};
        const int first = to_number(parked.step);
        if (parked.reason == park_reason::back_off)
            return walk(at, row, place, {first, parked.attempt, parked.retry_attempt});
        bool goes_on = false;
        (void)instance_.steps().visit_from(static_cast<std::size_t>(first), [&](const auto& step) {
            enter(at, parked.row, step, parked.attempt);
            visit here{.row = row,
                       .place = place,
                       .attempt = parked.attempt,
                       .retry_attempt = parked.retry_attempt,
                       .began = parked.started_at,
                       .has_waited = true,
                       .deadline = parked.deadline};
            if (parked.frame != nullptr) at.frame = *parked.frame;
            goes_on = conclude(at, step.description,
                               calls_.resume(at, step, here, parked.reason, woken.told), here);
            return false;  // one step; the others walk
        });
        if (!goes_on) return at.writer.pass();
        walk(at, row, place, {.step = first + 1});
    }

private:
    static constexpr step_index last_step{static_cast<int>(step_table<Op>::size) - 1};

    using visit = row_visit<row_type>;

    template <typename Step>
    static void enter(row_task& at, row_number number, const Step& step, std::uint32_t attempt) {
        const auto index = static_cast<step_index>(step.description.index);
        at.show(number, index);
        at.ctx.enter(number, index, step.description.name, attempt);
    }

    // --- what follows ----------------------------------------------------------------------------

    /// Takes a step's answer; whether the row goes on.
    [[nodiscard]] bool conclude(row_task& at, const step_description& about, answer said,
                                visit& here) {
        if (!at.transaction->is_asked()) [[likely]]
            return consequences_.take(at, about, said, here);
        const auto refusal = at.transaction->take_refusal();
        const bool is_good = said == answer::done || said == answer::skipped ||
                             said == answer::waiting || said == answer::polling;
        const auto overdue = at.transaction->overdue();
        if (is_good && at.transaction->is_open() && !overdue) return commit(at, about, said, here);
        at.transaction->roll_back();
        if (overdue) {
            at.details = {.text = overdue->message};
            return consequences_.take(at, about, answer::again, here);
        }
        if (refusal && !is_good) {  // the storage has failed, not the row
            host_.hold_up(*refusal);
            consequences_.repeat(at, about, here);
            return false;
        }
        return consequences_.take(at, about, said, here);
    }

    /// A step has written in the transaction that records it.
    [[nodiscard]] bool commit(row_task& at, const step_description& about, answer said,
                              visit& here) {
        auto earlier = at.writer.take();
        const auto parked = at.parked.size();
        const bool goes_on = consequences_.take(at, about, said, here);
        if (at.writer.counted().failed > 0) {  // what it asked for was refused
            at.transaction->roll_back();
            at.writer.put_back(std::move(earlier));
            return false;
        }
        if (goes_on && static_cast<step_index>(about.index) == last_step) {
            at.writer.count(true);
            at.is_counted = true;
        }
        const auto own = at.writer.take();
        if (host_.commit(at, earlier, own)) return goes_on;
        at.is_counted = false;
        at.writer.put_back(std::move(earlier));
        at.parked.resize(parked);
        consequences_.repeat(at, about, here);
        return false;
    }

    operation_instance<Op>& instance_;
    run_host& host_;
    step_calls<Op> calls_;
    row_consequences<Op> consequences_;
};

}  // namespace bulk
