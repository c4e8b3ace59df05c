// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/run/abandoned_rows.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/crashed_rows.hpp>
#include <bulk/run/failure_budget.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/pace.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/patience.hpp>
#include <bulk/run/recorder.hpp>
#include <bulk/run/row_records.hpp>
#include <bulk/run/row_resume.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/run/run_host.hpp>
#include <bulk/run/step_takeover.hpp>
#include <bulk/run/step_transaction.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/task_board.hpp>
#include <bulk/run/unit_queue.hpp>
#include <bulk/run/waiting_rows.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// One operation on its way from its claim to its end: two passes over the file, each cut into
/// units that tasks take one after the other, and rows that wait in between. Every member function
/// but those of `active_run` runs as a job.
class operation_run final : public active_run,
                            public run_host,
                            public std::enable_shared_from_this<operation_run> {
public:
    operation_run(run_environment around, claimed_operation claimed,
                  const operation_description& description, const make_row_work& make)
        : description_{description},
          around_{std::move(around)},
          operation_{around_.storage, std::move(claimed)},
          work_{make(*this, around_.jobs, operation_.record(),
                     around_.options.include_row_data_in_errors)},
          recorder_{around_.storage,   around_.jobs, around_.watch,
                    operation_.held(), batch_size(), concurrency()},
          limit_{concurrency()} {}

    [[nodiscard]] operation_id id() const override { return operation_.held().operation; }

    void start() override {
        schedule_renewal();  // first: whoever has trouble at once must know that the lease is new
        submit(&operation_run::begin, running::alone);
    }

    void ask_to_stop(stop_reason reason) override {
        const locked lock{*this};
        is_pausing_ = false;
        stop(reason, {});
    }

    [[nodiscard]] bool is_resting() const override { return is_resting_.load(); }

    void check_signals() override { submit(&operation_run::look_for_signals); }

    [[nodiscard]] std::string abandon() override {
        const locked lock{*this};
        if (phase_ == phase::ended) return {};
        (void)recorder_.flush();
        auto left = abandoned_rows(board_, operation_, description_, around_.storage, records_,
                                   around_.jobs.now());
        phase_ = phase::ended;
        is_stopping_ = true;
        if (!left.batch.empty()) (void)around_.storage.record(operation_.held(), left.batch);
        (void)around_.storage.release(operation_.held());
        return std::move(left.sentence);
    }

private:
    enum class phase : std::uint8_t { beginning, validating, running, ended };

    /// Holds the lock. Whoever is to be told to stop is told after it: they may call back.
    class locked {
    public:
        explicit locked(operation_run& run) : run_{run}, lock_{run.mutex_} {}
        locked(const locked&) = delete;
        locked& operator=(const locked&) = delete;
        ~locked() {
            const bool is_told = std::exchange(run_.tell_to_stop_, false);
            lock_.unlock();
            if (is_told) run_.stop_source_.request_stop();
        }

    private:
        operation_run& run_;
        std::unique_lock<std::mutex> lock_;
    };

    // --- jobs ------------------------------------------------------------------------------------

    /// Whether the run does nothing else meanwhile (`is_busy_`).
    enum class running : bool { beside_others, alone };

    void submit(void (operation_run::*work)(), running how = running::beside_others) {
        around_.jobs.submit(
            job{[self = this->shared_from_this(), work, how] { self->attempt(work, how); }});
    }
    void submit_at(timestamp due, void (operation_run::*work)(), running how) {
        around_.jobs.submit_at(due, job{[weak = this->weak_from_this(), work, how] {
                                   if (const auto self = weak.lock()) self->attempt(work, how);
                               }});
    }
    /// A job of the run. Where memory runs out in it nobody knows what it has done: the run lets go as if the
    /// process had been killed, and whoever claims the operation next goes on with what is stored.
    void attempt(void (operation_run::*work)(), running how) {
        try {
            (this->*work)();
        } catch (...) {
            const locked lock{*this};
            if (how == running::alone) is_busy_ = false;
            let_go(thrown_text());
        }
    }

    /// Ends the run without writing what it has, but not at once: the same would follow. Under the lock.
    void let_go(const std::string& why) {
        if (phase_ == phase::ended) return;
        has_thrown_ = is_pausing_ = true;
        stop(stop_reason::lost, why);
        submit_after(around_.options.lease_time / 3, &operation_run::end_pause);
        tell(log_level::warning, "run interrupted", {{"why", why}});
    }
    void end_pause() {
        const locked lock{*this};
        is_pausing_ = false;
        end_if_idle();
    }
    void submit_after(std::chrono::microseconds delay, void (operation_run::*work)(),
                      running how = running::beside_others) {
        submit_at(around_.jobs.now() + delay, work, how);
    }

    [[nodiscard]] operation_state state() const { return operation_.record().state; }
    /// A task, and the transaction that its steps may ask for.
    class run_task : public seen_task {
    public:
        explicit run_task(operation_run& run)
            : seen_task{run.board_, run.around_.storage.flights(), run.around_.jobs, run.id(),
                        run.stop_source_.get_token()},
              recorder_{run.recorder_},
              own_{run.around_.storage, run.operation_.held(), [&run] { return run.write(); }} {
            lent = recorder_.lend();
            transaction = &own_;
            ctx.take_transactions_from(&own_);
        }
        run_task(const run_task&) = delete;
        run_task& operator=(const run_task&) = delete;
        ~run_task() { recorder_.give_back(lent); }

    private:
        recorder& recorder_;
        step_transaction own_;
    };
    [[nodiscard]] std::size_t concurrency() const {
        return static_cast<std::size_t>(around_.options.max_row_concurrency);
    }
    [[nodiscard]] std::uint64_t batch_size() const {
        return static_cast<std::uint64_t>(around_.options.flush_batch_size);
    }

    // --- from the claim to the first pass ---------------------------------------------------------

    void begin() {
        if (operation_.record().cancel_requested) return leave_busy(stop_reason::cancelled, {});
        if (operation_.was_orphaned() && around_.options.orphans == orphan_policy::fail)
            return fail_orphans();
        if (!take_over_steps()) return;
        if (state() == operation_state::pending &&
            !move(operation_state::validating, &operation_run::begin))
            return;
        if (const auto ready = work_->set_up(operation_.record().metadata); !ready)
            return give_up(ready.error().message);
        if (state() == operation_state::validating)
            if (const auto valid = work_->validate_metadata(); !valid)
                return give_up(valid.error().message);
        if (state() == operation_state::retrying &&
            !move(operation_state::running, &operation_run::begin))
            return;
        if (operation_.was_begun()) {
            auto crashes = around_.storage.crashes(id());
            if (!crashes) return trouble(crashes.error(), &operation_run::begin);
            crashed_.set(std::move(*crashes));
        }
        open_phase();
    }

    /// The operation's step table must be this program's, or become it. False when it does not, or
    /// when that is to be tried again.
    [[nodiscard]] bool take_over_steps() {
        auto taken = bulk::take_over_steps(operation_, description_, around_.storage,
                                           around_.options.on_changed_steps);
        if (!taken) {
            trouble(taken.error(), &operation_run::begin);
            return false;
        }
        if (taken->moved)
            tell(log_level::info, "steps moved",
                 {{"from", taken->moved->from}, {"to", taken->moved->to}});
        if (taken->refusal) leave_busy(stop_reason::refused, std::move(*taken->refusal));
        return !taken->refusal;
    }

    /// The process that had the operation died, and its steps must not run twice: rows that waited
    /// fail, the others stay as they are, and so does the operation.
    void fail_orphans() {
        const auto waiting =
            around_.storage.query(row_query{.operation = id(),
                                            .state = row_state::waiting_for_completion,
                                            .page_size = largest_page,
                                            .with_total = false});
        if (!waiting) return trouble(waiting.error(), &operation_run::fail_orphans);
        if (!waiting->items.empty()) {
            had_orphans_ = true;
            run_task at{*this};
            for (const auto& each : waiting->items)
                records_.fail(at, each, error_type::signal_failure,
                              "Recovery: step was waiting for signal when application restarted",
                              at.watch.now());
            if (!hand_over(at) && is_stopping_) return;
            if (const auto written = recorder_.flush(); !written)
                return trouble(written.error(), &operation_run::fail_orphans);
            return submit(&operation_run::fail_orphans, running::alone);  // more?
        }
        give_up(had_orphans_ ? "Operation had orphaned signal-based steps on application restart"
                             : "Operation was stuck in Running state after application restart");
    }

    /// Moves the operation on and tells it. False when that is to be tried `again`, or the operation
    /// is not ours any more.
    [[nodiscard]] bool move(operation_state next, void (operation_run::*again)()) {
        const auto moved = operation_.move(next, around_.jobs.now());
        if (!moved) {
            if (moved.error().code == errc::illegal_transition)
                give_up(moved.error().message);
            else
                trouble(moved.error(), again);
            return false;
        }
        note_stored();
        tell(log_level::info, "state changed", {{"state", std::string{name_of(state())}}});
        around_.on_change();
        return true;
    }

    void open_phase() {
        auto opened = open_rows_of_file();
        if (!opened && opened.error().code == errc::not_found && operation_.was_begun())
            opened = open_rows_of_records(opened.error());
        if (!opened) {
            if (opened.error().code != errc::unavailable &&
                opened.error().code != errc::storage_lost)
                return give_up(opened.error().message);
            if (!is_stopping_) return trouble(opened.error(), &operation_run::open_phase);
            const locked lock{*this};
            is_busy_ = false;
            return end_if_idle();
        }
        const locked lock{*this};
        is_busy_ = false;
        units_.open(std::move(*opened));
        resume_.forget();
        phase_ = state() == operation_state::validating ? phase::validating : phase::running;
        if (operation_.was_begun() && phase_ == phase::running)
            submit(&operation_run::look_for_signals);
        pump();
        end_if_idle();
    }

    [[nodiscard]] result<std::unique_ptr<unit_source>> open_rows_of_file() {
        const auto& record = operation_.record();
        return work_->open_file(
            [&]() -> result<byte_source> {
                if (auto content = around_.storage.file_memory(record.file_id))
                    return byte_source{std::string_view{*content}, content};
                auto pull = around_.storage.open_file(record.file_id, 0);
                if (!pull) return std::unexpected{std::move(pull).error()};
                return byte_source{std::move(*pull)};
            },
            record.file_name, around_.reading, limit_ == 1);
    }

    /// The file is gone. What was kept of the rows will do, if it was all of them.
    [[nodiscard]] result<std::unique_ptr<unit_source>> open_rows_of_records(const error& why) {
        if (!keeps_rows(description_) || state() != operation_state::running)
            return std::unexpected{why};
        return work_->open_records(around_.storage, id(), operation_.record().rows.total);
    }

    // --- tasks -----------------------------------------------------------------------------------

    /// Starts as many tasks as may run and have something to do. At the end of a task one of them has
    /// its turn; whether there was one. Under the lock.
    bool pump(bool at_end_of_task = false) {
        const bool has_turn = at_end_of_task;
        if (is_busy_ || is_stopping_ || is_blocked_) return false;
        std::size_t wanted = waiting_.ready() + units_.wanted(limit_);
        while (active_ < limit_ && wanted > 0) {
            job next{[self = this->shared_from_this()] { self->work(); }};
            is_resting_ = false;
            ++active_;
            --wanted;
            if (std::exchange(at_end_of_task, false))
                around_.row_turns.ask_next(this, std::move(next));
            else
                around_.row_turns.ask(this, std::move(next));
        }
        return has_turn && !at_end_of_task;
    }

    /// One task: some rows that have waited, or one unit of rows; then the next task's turn, which
    /// may be another operation's.
    void work() {
        bool has_turn = true;  // and is one of the active ones
        try {
            work(has_turn);
        } catch (...) {  // as in `attempt`
            const locked lock{*this};
            if (has_turn) {
                --active_;
                around_.row_turns.end();
            }
            let_go(thrown_text());
        }
    }

    void work(bool& has_turn) {
        std::vector<woken_row> woken;
        std::optional<row_unit> unit;
        {
            const locked lock{*this};
            if (!is_stopping_ && !is_blocked_) {
                if (waiting_.ready() > 0)
                    take_ready(woken);
                else
                    unit = take_unit();
            }
            if (woken.empty() && !unit) {
                has_turn = false;
                --active_;
                around_.row_turns.end();
                return end_if_idle();
            }
        }
        if (unit)
            read(*unit);
        else
            wake(std::move(woken));
        const locked lock{*this};
        has_turn = false;
        --active_;
        if (!pump(true)) around_.row_turns.end();
        rest_if_idle();
        end_if_idle();
    }

    /// Tells others when nothing is left but to wait. Under the lock.
    void rest_if_idle() {
        if (active_ > 0 || !units_.is_done() || waiting_.ready() > 0 || !waiting_.is_waiting())
            return;
        if (!is_resting_.exchange(true)) around_.on_rest();
    }

    /// As many as make a unit, if others have something to do, too. Under the lock.
    void take_ready(std::vector<woken_row>& woken) {
        const std::size_t share = (waiting_.ready() + limit_ - 1) / limit_;
        for (auto left = std::min<std::size_t>(share, woken_pace_.rows()); left > 0; --left)
            if (auto row = waiting_.take_ready()) woken.push_back(std::move(*row));
    }

    /// Under the lock.
    [[nodiscard]] std::optional<row_unit> take_unit() {
        auto next = units_.take();
        if (next) return std::move(*next);
        stop_reading(next.error());
        return std::nullopt;
    }

    /// Rows cannot be read. If that is the storage's trouble, nothing is wrong with the operation: what is done is
    /// recorded, and whoever claims it next opens the file anew and reads on. Not at once: the same may follow.
    /// Under the lock.
    void stop_reading(const error& what) {
        constexpr std::chrono::milliseconds longest_pause = std::chrono::seconds{10};
        if (is_stopping_) return;
        if (what.code == errc::storage_lost) return lose(what);
        if (what.code != errc::unavailable) return stop(stop_reason::failed, what.message);
        note_failed(what);
        is_pausing_ = true;
        submit_after(std::min(around_.options.lease_time / 3, longest_pause),
                     &operation_run::end_pause);
        stop(stop_reason::unreadable, what.message);
    }

    void read(const row_unit& unit) {
        run_task at{*this};
        if (operation_.was_begun() && !load_standings(at, unit)) return;
        const timestamp begin = around_.jobs.steady_now();
        const auto end = work_->read(units_.rows(), unit, at,
                                     {.is_validating = phase_ == phase::validating,
                                      .is_resumed = operation_.was_begun(),
                                      .crashed = crashed_,
                                      .is_stopping = is_stopping_});
        const auto took = around_.jobs.steady_now() - begin;
        hand_over(at);
        const locked lock{*this};
        if (end) return units_.finish(unit, *end, took);
        units_.drop();
        stop_reading(end.error());
    }

    /// Writes down what a task has, and parks its rows; whether it may go on.
    bool hand_over(row_task& at) override {
        at.seat->clear();
        const auto failed_rows = at.writer.counted().failed;
        const auto written = at.writer.hand_over([&](row_batch& batch, std::uint64_t rows) {
            return recorder_.add(batch, rows, at.lent);
        });
        if (failed_rows > 0) note_failures(failed_rows);
        if (!at.parked.empty() || !written) {
            const locked lock{*this};
            for (auto& [row, due] : at.parked) park(std::move(row), due);
            at.parked.clear();
            arm();
            if (!written) block(written.error());  // what is left of the unit is done all the same
        }
        const bool began_waits = std::exchange(at.began_waits, false);
        if (began_waits || (written && written->began_waits))
            submit(&operation_run::look_for_signals);
        schedule_flush();
        return !is_stopping_.load(std::memory_order_relaxed);
    }

    /// Writes what there is.
    [[nodiscard]] result<> write() {
        const auto written = recorder_.flush();
        if (!written) return std::unexpected{written.error()};
        if (written->began_waits) submit(&operation_run::look_for_signals);
        return {};
    }

    [[nodiscard]] bool commit(row_task& at, const row_batch& earlier,
                              const row_batch& own) override {
        const auto stored = at.transaction->commit(earlier, own);
        if (!stored) {
            const locked lock{*this};
            block(stored.error());
            return false;
        }
        note_stored();
        around_.watch.note(earlier);
        around_.watch.note(own);
        at.began_waits |= begins_waits(earlier) || begins_waits(own);
        if (earlier.counted.failed > 0) note_failures(earlier.counted.failed);
        return true;
    }

    void hold_up(const error& why) override {
        const locked lock{*this};
        block(why);
    }

    void note_failures(std::uint64_t rows) {
        around_.on_events();
        const locked lock{*this};
        budget_.add(rows);
        check_budget();
    }

    /// Stops when more rows have failed than the operation allows. Under the lock.
    void check_budget() {
        if (auto why = budget_.exceeded(operation_.record().rows.total))
            stop(stop_reason::failed, std::move(*why));
    }

    // --- rows ------------------------------------------------------------------------------------

    /// What the store knows of the rows of a unit, when an earlier run has begun them. Without
    /// knowing nothing may be done: the unit is put back then.
    [[nodiscard]] bool load_standings(row_task& at, const row_unit& unit) {
        at.first_standing = units_.rows().is_exclusive() ? units_.rows().row_count() + 1
                                                         : to_number(unit.place.first_row);
        const auto loaded = resume_.load(at, unit.rows);
        if (loaded) return true;
        const locked lock{*this};
        units_.put_back(unit);
        block(loaded.error());
        return false;
    }

    [[nodiscard]] unit_source& rows() override { return units_.rows(); }
    [[nodiscard]] bool is_interrupting() const override { return is_interrupting_.load(); }

    void begin_watch(row_task& at, timestamp until) override {
        if (until != parked_row::no_deadline) until += clock_set_back();
        if (const auto due = board_.begin_check(at, stop_source_.get_token(), until))
            submit_after(*due - around_.jobs.steady_now(), &operation_run::end_late_checks);
        at.ctx.stop_by(at.check->token());
    }
    void end_watch(row_task& at) override { board_.end_check(at); }

    /// Tells steps that are still being asked when their time is over.
    void end_late_checks() {
        const auto now = around_.jobs.steady_now();
        if (const auto due = board_.end_late_checks(now))
            submit_after(*due - now, &operation_run::end_late_checks);
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// By how much the clock was set back since this process began; less than nothing if forward.
    [[nodiscard]] std::chrono::microseconds clock_set_back() const {
        return around_.jobs.steady_now() - around_.jobs.now();
    }

    /// Under the lock.
    void park(parked_row row, std::optional<timestamp> due) {
        const row_number number = row.row;
        const auto frame = row.frame != nullptr ? *row.frame : nullptr;
        // What waits in memory is due by a clock that nobody sets.
        const auto set_back = clock_set_back();
        if (due) *due += set_back;
        if (row.deadline != parked_row::no_deadline) row.deadline += set_back;
        waiting_.park(std::move(row), due);
        if (frame == nullptr || !std::holds_alternative<step_waits::outside>(frame->waiting()))
            return;
        const bool waits = frame->park([weak = this->weak_from_this(), number] {
            if (const auto self = weak.lock()) self->arrived(number);
        });
        if (!waits) waiting_.unpark(number);
    }

    /// What a coroutine waited for outside has come. From any thread.
    void arrived(row_number row) {
        const locked lock{*this};
        if (phase_ != phase::ended && waiting_.unpark(row)) pump();
    }

    /// Sees to it that somebody looks when the next row is due. Under the lock.
    void arm() {
        if (const auto due = waiting_.next_look())
            submit_after(*due - around_.jobs.steady_now(), &operation_run::look_for_due);
    }

    void look_for_due() {
        const locked lock{*this};
        waiting_.looked();
        if (phase_ == phase::ended) return;
        waiting_.unpark_due(around_.jobs.steady_now());
        arm();
        pump();
    }

    /// What rows were told since the last look, by whichever process.
    void look_for_signals() {
        constexpr std::uint32_t many = largest_page;
        std::uint64_t after = 0;
        {
            const locked lock{*this};
            if (phase_ != phase::running || is_stopping_ || is_looking_) return;
            is_looking_ = true;
            after = waiting_.last_signal();
        }
        auto told = around_.storage.signals(id(), after, many);
        const locked lock{*this};
        is_looking_ = false;
        if (!told || phase_ == phase::ended) return;  // looked for again with the next heartbeat
        if (told->size() == many) submit(&operation_run::look_for_signals);
        waiting_.tell(std::move(*told));
        pump();
    }

    /// Rows whose time has come, or that were told something.
    void wake(std::vector<woken_row> rows) {
        run_task at{*this};
        const timestamp begin = around_.jobs.steady_now();
        const auto count = rows.size();
        for (auto& each : rows) {
            if (!each.told && waits_for_signal(each.row) && !ask_for_last_signal(each)) continue;
            wake(at, std::move(each));
            if (at.writer.rows() >= at.lent) hand_over(at);
        }
        hand_over(at);
        const locked lock{*this};
        woken_pace_.learn(around_.jobs.steady_now() - begin, count);
    }

    /// A wait for a signal has lasted too long, unless one has just come; the store can tell when it
    /// knows of the wait. False when it cannot: then the row waits on.
    [[nodiscard]] bool ask_for_last_signal(woken_row& woken) {
        result<std::optional<given_signal>> closed;
        if (const auto written = recorder_.flush())
            closed = around_.storage.close_wait(operation_.held(), woken.row.row, woken.row.step);
        else
            closed = std::unexpected{written.error()};
        if (closed) {
            woken.told = std::move(*closed);
            return true;
        }
        const locked lock{*this};
        waiting_.put_back(std::move(woken));
        block(closed.error());
        return false;
    }

    void wake(row_task& at, woken_row woken) {
        parked_row& parked = woken.row;
        if (parked.deadline != parked_row::no_deadline) parked.deadline -= clock_set_back();
        {
            const locked lock{*this};
            waiting_.forget_signal(woken);
        }
        work_->wake(at, std::move(woken));
    }

    // --- the end of a phase, and trouble ----------------------------------------------------------

    /// Under the lock.
    void stop(stop_reason reason, std::string why) {
        if (phase_ == phase::ended) return;
        if (!is_stopping_ || reason == stop_reason::lost) {
            stop_reason_ = reason;
            stop_message_ = std::move(why);
            is_interrupting_ = reason != stop_reason::cancelled && reason != stop_reason::failed;
        }
        is_stopping_ = true;
        around_.row_turns.hurry(this);
        if (reason == stop_reason::set_aside || reason == stop_reason::unreadable)
            return end_if_idle();  // its rows need not know
        if (reason != stop_reason::failed) tell_to_stop_ = true;
        end_if_idle();
    }

    /// Under the lock.
    void end_if_idle() {
        if (active_ > 0 || is_busy_ || is_pausing_ || phase_ == phase::ended) return;
        const bool is_done = units_.is_done() && waiting_.empty();
        if (!is_stopping_ && !is_done) return;
        if (is_blocked_ && stop_reason_ != stop_reason::lost) return;  // its retry comes back here
        is_busy_ = true;
        submit(&operation_run::end_phase, running::alone);
    }

    /// The job that keeps the run busy ends, and so does the run.
    void leave_busy(stop_reason reason, std::string why) {
        const locked lock{*this};
        is_busy_ = false;
        stop(reason, std::move(why));
    }

    void end_phase() {
        stop_reason reason{};
        std::string why;
        {
            const locked lock{*this};
            reason = stop_reason_;
            why = stop_message_;
        }
        if (reason == stop_reason::lost) {
            if (is_damaged_)
                leave_damaged(std::move(why));
            else if (has_thrown_)
                (void)asked([&] { return around_.storage.release(operation_.held()); });
            return end();
        }
        if (const auto written = recorder_.flush(); !written)
            return trouble(written.error(), &operation_run::end_phase);
        around_.on_events();
        switch (reason) {
            case stop_reason::refused:
                around_.on_refuse(id());
                [[fallthrough]];
            case stop_reason::paused:
            case stop_reason::shutdown:
            case stop_reason::set_aside:
            case stop_reason::unreadable:
                (void)around_.storage.release(operation_.held());
                return end();
            case stop_reason::none:
                if (phase_ == phase::validating) return end_validation();
                return close([](operation_record& operation, timestamp now) {
                    return complete(operation, now);
                });
            case stop_reason::cancelled:
                return close([](operation_record& operation, timestamp now) {
                    return move_to(operation, operation_state::cancelled, now);
                });
            default:
                return close([&](operation_record& operation, timestamp now) {
                    return fail_operation(operation, why, now);
                });
        }
    }

    void end_validation() {
        operation_.set_total(units_.rows().row_count());
        if (!refuse_repeated()) return;
        {
            const locked lock{*this};
            check_budget();
            if (is_stopping_) {
                is_busy_ = false;
                return end_if_idle();
            }
        }
        if (move(operation_state::running, &operation_run::end_phase)) open_phase();
    }

    /// Rows whose values must be unique are known to be only now. False when that is to be tried
    /// again.
    [[nodiscard]] bool refuse_repeated() {
        if (work_->reads_all()) {
            for (auto& each : work_->take_repeated()) repeated_.push_back(each);
            while (!repeated_.empty()) {
                run_task at{*this};
                while (!repeated_.empty() && at.writer.rows() < batch_size()) {
                    const auto& each = repeated_.front();
                    auto record = around_.storage.get(id(), each.row, validation_step);
                    if (!record) {
                        hand_over(at);
                        trouble(record.error(), &operation_run::end_phase);
                        return false;
                    }
                    if (*record) work_->refuse_repeated(at, std::move(**record), each);
                    repeated_.pop_front();
                }
                hand_over(at);
            }
            if (const auto written = recorder_.flush(); !written) {
                trouble(written.error(), &operation_run::end_phase);
                return false;
            }
        }
        return true;
    }

    /// The operation's last change.
    template <typename Change>
    void close(Change change) {
        if (phase_ == phase::validating) operation_.set_total(units_.rows().row_count());
        const auto closed = operation_.close(change, around_.jobs.now());
        if (!closed && closed.error().code != errc::illegal_transition)
            return trouble(closed.error(), &operation_run::end_phase);
        if (closed) note_stored();
        around_.on_change();
        end();
    }

    void end() {
        {
            const locked lock{*this};
            if (std::exchange(phase_, phase::ended) == phase::ended) return;
            waiting_.clear();
            units_.clear();
        }
        tell(stop_reason_ == stop_reason::lost ? log_level::warning : log_level::info, "run ended",
             {{"reason", std::string{name_of(stop_reason_)}}, {"why", stop_message_}});
        around_.on_end(this->shared_from_this());
    }

    void tell(log_level level, std::string_view event,
              std::vector<std::pair<std::string_view, std::string>> fields) const {
        fields.insert(fields.begin(), {"operation", to_text(id())});
        around_.watch.log(level, event, std::move(fields));
    }

    /// The operation itself cannot go on.
    void give_up(std::string why) { leave_busy(stop_reason::failed, std::move(why)); }

    /// A call to the store failed: another has the operation, or the store does not answer and the
    /// work is tried again a little later, until the lease would have run out.
    void trouble(const error& what, void (operation_run::*again)()) {
        note_failed(what);
        if (patience_.is_at_its_end(what, around_.jobs.steady_now())) {
            const locked lock{*this};
            is_busy_ = false;
            return lose(what);
        }
        submit_after(patience_.next_delay(), again, running::alone);
    }

    /// Records cannot be written: nothing new begins until they can. Under the lock.
    void block(const error& what) {
        note_failed(what);
        if (patience_.is_at_its_end(what, around_.jobs.steady_now())) return lose(what);
        if (std::exchange(is_blocked_, true)) return;
        submit_after(patience_.next_delay(), &operation_run::unblock);
    }

    /// Under the lock.
    void lose(const error& what) {
        is_damaged_ = what.code == errc::damaged;
        stop(stop_reason::lost, what.message);
    }

    /// Every run of the operation would meet the same damage: it keeps the reason, and this process
    /// leaves it alone.
    void leave_damaged(std::string why) {
        (void)operation_.set_error(std::move(why));
        (void)around_.storage.release(operation_.held());
        around_.on_refuse(id());
    }

    /// What ends the run is logged with its end.
    void note_failed(const error& what) {
        if (!patience::is_final(what))
            around_.failures.failed(what.message, around_.jobs.steady_now(),
                                    {{"operation", to_text(id())}});
    }

    /// Something was stored: not only tried with nothing to store.
    void note_stored() {
        patience_.succeeded();
        around_.failures.worked(around_.jobs.steady_now());
    }

    void unblock() {
        const bool has_pending = recorder_.has_pending();
        const auto written = recorder_.flush();
        if (has_pending && written) note_stored();
        const locked lock{*this};
        if (phase_ == phase::ended) return;
        is_blocked_ = false;
        if (!written) return block(written.error());
        if (written->began_waits) submit(&operation_run::look_for_signals);
        pump();
        end_if_idle();
    }

    // --- now and then ----------------------------------------------------------------------------

    /// What a slow operation has found out is not kept back for long.
    void schedule_flush() {
        if (is_flush_scheduled_.exchange(true)) return;
        submit_after(around_.options.flush_interval, &operation_run::flush);
    }

    void flush() {
        is_flush_scheduled_ = false;
        if (!recorder_.has_pending()) return;
        const auto written = recorder_.flush();
        if (!written) {
            const locked lock{*this};
            if (phase_ != phase::ended) block(written.error());
            return;
        }
        note_stored();
        if (written->began_waits) look_for_signals();
        around_.on_events();
    }

    void schedule_renewal() {
        patience_.renewed(around_.jobs.steady_now());
        constexpr std::chrono::milliseconds often{500};  // others may have asked for something
        submit_after(std::min<std::chrono::milliseconds>(around_.options.lease_time / 3, often),
                     &operation_run::renew);
    }

    void renew() {
        {
            const locked lock{*this};
            if (phase_ == phase::ended || stop_reason_ == stop_reason::lost) return;
        }
        const auto current = around_.storage.renew(operation_.held(), around_.jobs.now(),
                                                   around_.options.lease_time);
        {
            const locked lock{*this};
            if (phase_ == phase::ended) return;
            if (!current) {
                if (current.error().code == errc::conflict ||
                    current.error().code == errc::storage_lost)
                    return stop(stop_reason::lost, current.error().message);
                submit_after(patience_.next_delay(), &operation_run::renew);
                return;
            }
            if (current->cancel_requested)
                stop(stop_reason::cancelled, {});
            else if (current->paused)
                stop(stop_reason::paused, {});
            schedule_renewal();
            if (!waiting_.is_waiting()) return;
        }
        look_for_signals();
    }

    const operation_description& description_;
    run_environment around_;
    owned_operation operation_;
    row_records records_{operation_.record()};
    std::unique_ptr<row_work> work_;
    recorder recorder_;
    std::stop_source stop_source_;
    std::deque<repeated_value> repeated_;  ///< rows that are still to be refused for it
    std::atomic<bool> is_stopping_{false};
    std::atomic<bool> is_interrupting_{false};
    std::atomic<bool> is_resting_{false};
    std::atomic<bool> is_flush_scheduled_{false};
    patience patience_{around_.options.lease_time};
    task_board board_;
    bool had_orphans_ = false;
    crashed_rows crashed_{around_.options.max_crashes};
    row_resume resume_{around_.storage, operation_};

    std::mutex mutex_;  ///< guards what follows
    phase phase_ = phase::beginning;
    std::size_t limit_;
    std::size_t active_ = 0;  ///< tasks that run or are about to
    failure_budget budget_{description_, operation_.record().rows.failed};
    pace woken_pace_;
    bool is_busy_ = true;  ///< between the phases: one job has the run for itself
    bool is_blocked_ = false;
    bool is_looking_ = false;
    bool has_thrown_ = false;  ///< a job did
    bool is_damaged_ = false;  ///< what is stored of the operation
    bool is_pausing_ = false;  ///< before it ends, since that is so
    bool tell_to_stop_ = false;
    stop_reason stop_reason_ = stop_reason::none;
    std::string stop_message_;
    unit_queue units_;
    waiting_rows waiting_{around_.watch};
};

}  // namespace bulk
