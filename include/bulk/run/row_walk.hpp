// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/operation/step_table.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/coroutine_frame.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/journal.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_consequences.hpp>
#include <bulk/run/row_host.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_task.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

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

    row_walk(operation_instance<Op>& instance, executor& jobs, row_host<row_type>& host,
             const row_outcomes<Op>& outcomes)
        : instance_{instance}, host_{host}, consequences_{jobs, host, outcomes} {}

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
                if constexpr (is_plain<Step>) {
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
                if constexpr (!is_plain<Step>) said = call(at, step, here);
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
                if constexpr (is_task<returned_by<Step>>)
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
                               resume(at, step, here, parked.reason, woken.told), here);
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

    template <typename Step>
    using returned_by = decltype(std::declval<const Step&>().execute(
        std::declval<const row_type&>(), std::declval<const typename Op::metadata_type&>(),
        std::declval<context&>()));

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

    // --- what a step says ------------------------------------------------------------------------

    /// A step that is over when its call is.
    template <typename Step>
    static constexpr bool is_plain = Step::kind == step_kind::plain && !is_task<returned_by<Step>>;

    /// Executes a step that is not plain, and asks a polled one for the first time.
    template <typename Step>
    [[nodiscard]] answer call(row_task& at, const Step& step, visit& here) {
        if constexpr (is_task<returned_by<Step>>) {
            return begin_task(at, step, here);
        } else {
            return finish_call(at, step, here,
                               call_step(step, here.row, instance_.metadata(), at.ctx, at.details));
        }
    }

    /// A step that was executed may not be complete yet.
    template <typename Step>
    [[nodiscard]] answer finish_call(row_task& at, const Step& step, visit& here, answer said) {
        if constexpr (Step::kind == step_kind::polled)
            if (said == answer::done) return check(at, step, here);
        if constexpr (Step::kind == step_kind::signalled)
            if (said == answer::done) return ask_key(at, step, here);
        return said;
    }

    /// What a row that has waited is told, or finds out.
    template <typename Step>
    [[nodiscard]] answer resume(row_task& at, const Step& step, visit& here, park_reason reason,
                                const std::optional<given_signal>& told) {
        if constexpr (Step::kind == step_kind::polled)
            if (reason == park_reason::check) return check(at, step, here);
        if constexpr (is_task<returned_by<Step>>) {
            if (reason == park_reason::coroutine) return resume_task(at, step, here, told);
            if (reason == park_reason::repeat) return begin_task(at, step, here);
        } else {
            if (reason == park_reason::repeat)
                return call_step(step, here.row, instance_.metadata(), at.ctx, at.details);
        }
        if (!told) return answer::timed_out;
        here.told = &*told;
        if (!told->failure) return answer::done;
        at.details = {.text = *told->failure};
        return answer::failed;
    }

    /// Asks a polled step; the step can see when its time is over.
    template <typename Step>
    [[nodiscard]] answer check(row_task& at, const Step& step, visit& here) {
        const auto& about = step.description;
        if (here.deadline == parked_row::no_deadline && about.timeout)
            here.deadline = at.watch.now() + *about.timeout;
        const auto before = at.ctx.stop_token();
        host_.begin_watch(at, here.deadline);
        const auto said = check_step(step, here.row, instance_.metadata(), at.ctx, at.details);
        host_.end_watch(at);
        at.ctx.stop_by(before);
        if (said == answer::polling) at.details = {.after = about.poll_interval};
        return said;
    }

    template <typename Step>
    [[nodiscard]] answer ask_key(row_task& at, const Step& step, const visit& here) {
        const auto key = guarded([&] {
            at.details = {.text = step.signal_key(here.row, instance_.metadata()),
                          .timeout = step.description.timeout};
        });
        if (key) return answer::waiting;
        at.details = {.text = key.error().message};
        return answer::failed;
    }

    // --- steps that are coroutines ---------------------------------------------------------------

    template <typename Step>
    [[nodiscard]] answer begin_task(row_task& at, const Step& step, visit& here) {
        using frame_type = task_frame<row_type, typename returned_by<Step>::value_type>;
        auto own = host_.own(here.place);
        if (own == nullptr) {
            at.details = {.text = "the row could not be read again"};
            return answer::failed;
        }
        const auto frame = std::make_shared<frame_type>(std::move(own), at.ctx);
        at.frame = frame;
        if (here.before != nullptr) frame->replay(parse_journal(here.before->journal));
        const auto made = guarded([&] {
            frame->begin([&](const row_type& row, context& ctx) {
                return step.execute(row, instance_.metadata(), ctx);
            });
        });
        if (made) return finish_call(at, step, here, drive(at, *frame, here));
        at.details = {.text = made.error().message};
        return answer::again;
    }

    template <typename Step>
    [[nodiscard]] answer resume_task(row_task& at, const Step& step, visit& here,
                                     const std::optional<given_signal>& told) {
        using frame_type = task_frame<row_type, typename returned_by<Step>::value_type>;
        auto& frame = static_cast<frame_type&>(*at.frame);
        using kind = wait_answer::kind;
        if (std::holds_alternative<sleep_request>(frame.waiting()))
            frame.answer({kind::slept});
        else if (std::holds_alternative<signal_request>(frame.waiting()))
            frame.answer(!told           ? wait_answer{kind::timed_out}
                         : told->failure ? wait_answer{kind::told_failure, *told->failure}
                                         : wait_answer{kind::told});
        return finish_call(at, step, here, drive(at, frame, here));
    }

    /// Lets a coroutine go on until it waits or ends.
    template <typename Frame>
    [[nodiscard]] answer drive(row_task& at, Frame& frame, visit& here) {
        here.deadline = parked_row::no_deadline;  // each wait has its own
        frame.body().resume(frame);
        if (!frame.body().is_done()) return answer::suspended;
        const auto said = answer_of_call([&] { return frame.body().take(); }, at.details);
        at.frame.reset();
        return said;
    }

    operation_instance<Op>& instance_;
    row_host<row_type>& host_;
    row_consequences<Op> consequences_;
};

}  // namespace bulk
