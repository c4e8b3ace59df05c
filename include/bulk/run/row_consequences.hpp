// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/operation/task.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/journal.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/run_host.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace bulk {

/// A row at a step.
template <typename Row>
struct row_visit {
    const Row& row;
    const row_place& place;
    std::uint32_t attempt = 1;
    std::uint32_t retry_attempt = 0;
    timestamp began{};
    timestamp ended{};        ///< when its answer was taken
    bool has_waited = false;  ///< and its record says so
    timestamp deadline = parked_row::no_deadline;
    const row_record* before = nullptr;
    const given_signal* told = nullptr;  ///< that ended its wait
};

/// What follows from what a step said: a record, a wait, or the end of the row.
template <typename Op>
class row_consequences {
public:
    using row_type = typename Op::row_type;
    using visit = row_visit<row_type>;

    row_consequences(executor& jobs, run_host& host, const row_outcomes<Op>& outcomes)
        : jobs_{jobs}, host_{host}, outcomes_{outcomes} {}

    /// The steps that went well before one that did not, when nobody looked at the clock.
    static timestamp quick_part(row_task& at, row_number number, int first, int done) {
        const timestamp now = at.writer.close_window();
        if (done > first)
            at.writer.quickly_done(number, static_cast<step_index>(first),
                                   static_cast<step_index>(done - 1));
        return now;
    }

    /// A step that had failed before went well, and nobody looked at the clock.
    void retry_quickly_done(row_task& at, row_number number, int step,
                            std::uint32_t retry_attempt) const {
        at.writer.quickly_done(outcomes_.record_of(number, static_cast<step_index>(step),
                                                   row_state::completed, 1, retry_attempt));
    }

    void step_done(row_task& at, const visit& here, int step, timestamp now,
                   std::string note) const {
        const auto index = static_cast<step_index>(step);
        auto record = outcomes_.record_of(here.place.number(), index, row_state::completed,
                                          here.attempt, here.retry_attempt);
        record.started_at = here.began;
        record.completed_at = now;
        record.error_message = cut_message(std::move(note));
        if (here.told != nullptr) record.signal_key = here.told->key;
        const bool is_plain = here.attempt == 1 && here.retry_attempt == 0 && !here.has_waited &&
                              here.before == nullptr && record.error_message.empty();
        if (!is_plain) return at.writer.put(std::move(record));
        at.writer.done({here.place.number(), 1, index, index, here.began, now}, record);
    }

    /// What follows from an answer; whether the row goes on to the next step.
    bool take(row_task& at, const step_description& about, answer said, visit& here) {
        const timestamp now = here.ended = at.watch.now();
        switch (said) {
            case answer::done:
                step_done(at, here, about.index, now, {});
                return true;
            case answer::skipped:
                step_done(at, here, about.index, now, std::move(at.details.text));
                return true;
            case answer::again:
                if (now >= here.deadline) {  // whatever it said in its last moment
                    outcomes_.time_out(at, open_record(here, about), about.name, now, &here.row);
                    return false;
                }
                if (here.attempt <= static_cast<std::uint32_t>(about.max_retries)) {
                    back_off(at, about, here, now);
                    return false;
                }
                if (host_.is_interrupting()) return false;  // it is run again when all goes on
                [[fallthrough]];
            case answer::failed:
                outcomes_.fail(at, open_record(here, about), failure_of(here),
                               std::move(at.details.text), now, &here.row);
                return false;
            case answer::timed_out:
                outcomes_.time_out(at, open_record(here, about), about.name, now, &here.row);
                return false;
            case answer::polling:
                poll(at, about, here, now);
                return false;
            case answer::waiting:
                wait_for_signal(at, about, here, now);
                return false;
            case answer::suspended:
                suspend(at, about, here, now);
                return false;
        }
        return false;
    }

    /// Nothing of what a step did was stored: it is run again as soon as something can be.
    static void repeat(row_task& at, const step_description& about, const visit& here) {
        at.park(parked(here, static_cast<step_index>(about.index),
                       here.has_waited ? reason_to_ask(about) : park_reason::back_off),
                at.watch.now());
    }

    /// A row waits on as its record says, which was written by an earlier run.
    void wait_on(row_task& at, const row_type& row, const row_place& place,
                 const row_record& before, park_reason reason, std::optional<timestamp> due) const {
        const bool is_try = reason == park_reason::back_off;
        visit here{.row = row,
                   .place = place,
                   .attempt = before.attempt + (is_try || !before.error_message.empty() ? 1U : 0U),
                   .retry_attempt = before.retry_attempt,
                   .began = before.started_at.value_or(at.watch.now()),
                   .has_waited = true};
        if (!is_try) here.deadline = before.wait_until.value_or(parked_row::no_deadline);
        at.park(parked(here, before.step, reason), due);
    }

private:
    static constexpr auto& description = description_of<Op>;
    /// A step that asks to be called again at once does not keep a thread busy.
    static constexpr std::chrono::milliseconds shortest_interval{1};

    [[nodiscard]] static error_type failure_of(const visit& here) {
        if (here.told != nullptr) return error_type::signal_failure;
        return description.is_pipeline ? error_type::step_failure : error_type::processing;
    }

    [[nodiscard]] row_record open_record(const visit& here, const step_description& about) const {
        auto record = outcomes_.record_of(here.place.number(), static_cast<step_index>(about.index),
                                          row_state::running, here.attempt, here.retry_attempt);
        record.started_at = here.began;
        if (here.told != nullptr) record.signal_key = here.told->key;
        return record;
    }

    [[nodiscard]] static parked_row parked(const visit& here, step_index step, park_reason reason) {
        return {.row = here.place.number(),
                .raw = here.place.describe(),
                .started_at = here.began,
                .deadline = here.deadline,
                .attempt = here.attempt,
                .retry_attempt = static_cast<std::uint16_t>(here.retry_attempt),
                .step = step,
                .reason = reason};
    }

    [[nodiscard]] static bool is_replaying(const visit& here) {
        return here.before != nullptr && here.before->state == row_state::waiting_for_completion;
    }

    /// How a step that is not complete is asked again: the question, or the whole step.
    [[nodiscard]] static park_reason reason_to_ask(const step_description& about) {
        return about.kind == step_kind::polled ? park_reason::check : park_reason::repeat;
    }

    /// A try failed, and there are others left. A polled step that has been executed is not executed
    /// again: it is asked again.
    void back_off(row_task& at, const step_description& about, visit& here, timestamp now) {
        const bool is_waiting = here.deadline != parked_row::no_deadline;
        const auto delay = at.details.after.value_or(
            delay_before(about.backoff, static_cast<int>(here.attempt), random_share(jobs_)));
        auto record = open_record(here, about);
        record.error_message = cut_message(std::move(at.details.text));
        record.wait_until = is_waiting ? here.deadline : now + delay;
        if (is_waiting) (void)move_to(record, row_state::waiting_for_completion, now);
        // A coroutine that has not yet come back to where it waited still waits, and may have been
        // told something: its record stays.
        if (!is_replaying(here)) at.writer.put(std::move(record));
        auto row = parked(here, static_cast<step_index>(about.index),
                          is_waiting ? reason_to_ask(about) : park_reason::back_off);
        ++row.attempt;
        at.park(std::move(row), is_waiting ? std::min(now + delay, here.deadline) : now + delay);
    }

    void poll(row_task& at, const step_description& about, visit& here, timestamp now) {
        const auto interval =
            std::max(at.details.after.value_or(about.poll_interval), shortest_interval);
        if (here.deadline == parked_row::no_deadline && at.details.timeout)
            here.deadline = now + *at.details.timeout;
        if (now >= here.deadline)
            return outcomes_.time_out(at, open_record(here, about), about.name, now, &here.row);
        if (!here.has_waited) put_waiting(at, open_record(here, about), here.deadline, now);
        at.park(parked(here, static_cast<step_index>(about.index), reason_to_ask(about)),
                std::min(now + interval + jitter(interval), here.deadline));
    }

    void wait_for_signal(row_task& at, const step_description& about, visit& here, timestamp now) {
        auto record = open_record(here, about);
        if (auto refused = refuse_key(at.details.text))
            return outcomes_.fail(at, std::move(record), failure_of(here), std::move(*refused), now,
                                  &here.row);
        record.signal_key = std::move(at.details.text);
        if (at.details.timeout) here.deadline = now + *at.details.timeout;
        put_waiting(at, std::move(record), here.deadline, now);
        at.park(parked(here, static_cast<step_index>(about.index), park_reason::signal),
                due_at(here.deadline));
    }

    void suspend(row_task& at, const step_description& about, visit& here, timestamp now) {
        auto record = open_record(here, about);
        record.journal = to_journal(at.frame->told());
        const auto& waiting = at.frame->waiting();
        const bool is_old =
            here.before != nullptr && here.before->state == row_state::waiting_for_completion;
        const auto kept = is_old ? here.before->wait_until : std::nullopt;
        if (const auto* sleep = std::get_if<sleep_request>(&waiting)) {
            here.deadline = kept.value_or(now + sleep->time);
        } else if (const auto* signal = std::get_if<signal_request>(&waiting)) {
            if (auto refused = refuse_key(signal->key))
                return outcomes_.fail(at, std::move(record), failure_of(here), std::move(*refused),
                                      now, &here.row);
            record.signal_key = signal->key;
            if (kept)
                here.deadline = *kept;
            else if (signal->timeout)
                here.deadline = now + *signal->timeout;
        }
        put_waiting(at, std::move(record), here.deadline, now);
        auto row = parked(here, static_cast<step_index>(about.index), park_reason::coroutine);
        row.frame = std::make_unique<std::shared_ptr<step_waits>>(std::move(at.frame));
        at.park(std::move(row), due_at(here.deadline));
    }

    static void put_waiting(row_task& at, row_record record, timestamp deadline, timestamp now) {
        (void)move_to(record, row_state::waiting_for_completion, now);
        record.wait_until = due_at(deadline);
        at.writer.put(std::move(record));
    }

    [[nodiscard]] static std::optional<timestamp> due_at(timestamp deadline) {
        if (deadline == parked_row::no_deadline) return std::nullopt;
        return deadline;
    }

    [[nodiscard]] static std::optional<std::string> refuse_key(const std::string& key) {
        if (key.empty()) return "the key of a signal cannot be empty";
        if (key.size() <= longest_signal_key) return std::nullopt;
        return concat("the key of a signal has ", key.size(), " bytes; the limit is ",
                      longest_signal_key);
    }

    [[nodiscard]] std::chrono::milliseconds jitter(std::chrono::milliseconds interval) {
        return std::chrono::milliseconds{static_cast<std::chrono::milliseconds::rep>(
            static_cast<double>(interval.count()) * 0.2 * random_share(jobs_))};
    }

    executor& jobs_;
    run_host& host_;
    const row_outcomes<Op>& outcomes_;
};

}  // namespace bulk
