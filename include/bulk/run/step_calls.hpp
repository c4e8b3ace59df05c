// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_record.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/coroutine_frame.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/journal.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_consequences.hpp>
#include <bulk/run/row_copies.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/run_host.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace bulk {

/// What a step that may wait says: one that is polled, signalled or a coroutine.
template <typename Op>
class step_calls {
public:
    using row_type = typename Op::row_type;
    using visit = row_visit<row_type>;

    step_calls(operation_instance<Op>& instance, run_host& host, row_copies<row_type>& copies)
        : instance_{instance}, host_{host}, copies_{copies} {}

    template <typename Step>
    using returned_by = decltype(std::declval<const Step&>().execute(
        std::declval<const row_type&>(), std::declval<const typename Op::metadata_type&>(),
        std::declval<context&>()));

    template <typename Step>
    static constexpr bool is_coroutine = is_task<returned_by<Step>>;

    /// A step that is over when its call is.
    template <typename Step>
    static constexpr bool is_plain = Step::kind == step_kind::plain && !is_coroutine<Step>;

    /// Executes a step that is not plain, and asks a polled one for the first time.
    template <typename Step>
    [[nodiscard]] answer call(row_task& at, const Step& step, visit& here) {
        if constexpr (is_coroutine<Step>) {
            return begin_task(at, step, here);
        } else {
            return finish_call(at, step, here,
                               call_step(step, here.row, instance_.metadata(), at.ctx, at.details));
        }
    }

    /// What a row that has waited is told, or finds out.
    template <typename Step>
    [[nodiscard]] answer resume(row_task& at, const Step& step, visit& here, park_reason reason,
                                const std::optional<given_signal>& told) {
        if constexpr (Step::kind == step_kind::polled)
            if (reason == park_reason::check) return check(at, step, here);
        if constexpr (is_coroutine<Step>) {
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

private:
    /// A step that was executed may not be complete yet.
    template <typename Step>
    [[nodiscard]] answer finish_call(row_task& at, const Step& step, visit& here, answer said) {
        if constexpr (Step::kind == step_kind::polled)
            if (said == answer::done) return check(at, step, here);
        if constexpr (Step::kind == step_kind::signalled)
            if (said == answer::done) return ask_key(at, step, here);
        return said;
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
        auto own = copies_.own(here.place);
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
    run_host& host_;
    row_copies<row_type>& copies_;
};

}  // namespace bulk
