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
#include <bulk/run/active_run.hpp>
#include <bulk/run/changed_steps.hpp>
#include <bulk/run/coroutine_frame.hpp>
#include <bulk/run/crashed_rows.hpp>
#include <bulk/run/failure_budget.hpp>
#include <bulk/run/file_supply.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/pace.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/patience.hpp>
#include <bulk/run/record_supply.hpp>
#include <bulk/run/recorder.hpp>
#include <bulk/run/row_host.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/row_validation.hpp>
#include <bulk/run/row_walk.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/run/standings.hpp>
#include <bulk/run/step_transaction.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/task_board.hpp>
#include <bulk/run/unit_queue.hpp>
#include <bulk/run/waiting_rows.hpp>
#include <bulk/storage/concepts.hpp>

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
template <typename Op, storage Storage, typename Formats>
class operation_run final
    : public active_run,
      public row_host<typename Op::row_type>,
      public std::enable_shared_from_this<operation_run<Op, Storage, Formats>> {
public:
    using row_type = typename Op::row_type;

    operation_run(run_environment<Storage> around, claimed_operation claimed)
        : around_{std::move(around)},
          operation_{around_.storage, std::move(claimed)},
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
        std::string sentence;
        row_batch batch;
        const locked lock{*this};
        if (phase_ == phase::ended) return sentence;
        (void)recorder_.flush();
        for (const auto& [row, step] : board_.rows()) {
            const auto name = description.step_name(step);
            sentence += concat(sentence.empty() ? "" : "; ", "operation ", to_text(id()), ", row ",
                               to_number(row), ": step '", name, "' did not return");
            if (step == validation_step) continue;
            auto stored = around_.storage.get(id(), row, step);
            if (!stored) continue;
            // Attempt 0: when the operation goes on, the same attempt is made again.
            auto record =
                std::move(*stored).value_or(outcomes_.record_of(row, step, row_state::pending, 0));
            // A wait goes on as it was stored, and so do the tries that a step has had.
            if (record.state == row_state::pending)
                (void)move_to(record, row_state::running, around_.jobs.now());
            else if (record.state != row_state::running)
                continue;
            record.error_message =
                concat("step '", name, "' did not return before the shutdown time-out");
            batch.records.push_back(std::move(record));
        }
        phase_ = phase::ended;
        is_stopping_ = true;
        if (!batch.empty()) (void)around_.storage.record(operation_.held(), batch);
        (void)around_.storage.release(operation_.held());
        return sentence;
    }

private:
    enum class phase : std::uint8_t { beginning, validating, running, ended };

    static constexpr auto& description = description_of<Op>;
    static constexpr step_index last_step{static_cast<int>(step_table<Op>::size) - 1};

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

    /// Hands the rows of a unit to the run.
    struct visitor {
        operation_run& run;
        row_task& at;
        bool is_resumed = run.operation_.was_begun();

        [[nodiscard]] bool is_selective() const { return is_resumed; }
        [[nodiscard]] bool wants(row_number row) const {
            const auto known = at.standing(row);
            if (!known) return true;
            if (run.phase_ == phase::validating)
                return row_validation<Op>::reads_all && known->state == row_state::completed;
            return may_go_on(*known);
        }
        [[nodiscard]] std::uint64_t unwanted(row_number first, std::uint64_t most) const {
            std::uint64_t rows = 0;
            while (rows < most && !wants(row_number{to_number(first) + rows})) ++rows;
            return rows;
        }

        template <typename Reader>
        bool operator()(const row_type& row, read_status status, Reader& reader) {
            if (run.phase_ == phase::validating)
                run.validate(at, row, status, reader);
            else
                run.process(at, row, status, reader);
            if (at.writer.rows() >= at.lent) return run.hand_over(at);
            return !run.is_stopping_.load(std::memory_order_relaxed);
        }
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
              own_{make_transaction(run)} {
            lent = recorder_.lend();
            transaction = &own_;
            ctx.take_transactions_from(&own_);
        }
        run_task(const run_task&) = delete;
        run_task& operator=(const run_task&) = delete;
        ~run_task() { recorder_.give_back(lent); }

    private:
        using transaction_type = typename step_transaction_for<Storage>::type;
        static transaction_type make_transaction(operation_run& run) {
            if constexpr (transactional_store<Storage>)
                return {run.around_.storage, run.operation_.held(), [&run] { return run.write(); }};
            else
                return {};
        }
        recorder<Storage>& recorder_;
        transaction_type own_;
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
        auto metadata =
            json::read_metadata<typename Op::metadata_type>(operation_.record().metadata);
        if (!metadata) return give_up(metadata.error().message);
        const auto made = guarded([&] {
            instance_ = std::make_unique<operation_instance<Op>>(std::move(*metadata));
            validation_.emplace(*instance_, outcomes_);
            walk_.emplace(*instance_, around_.jobs, *this, outcomes_);
        });
        if (!made) return give_up(concat("the operation cannot be set up: ", made.error().message));
        if (state() == operation_state::validating)
            if (const auto valid = instance_->validate_metadata(); !valid)
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
        auto now = step_names(description);
        const auto& then = operation_.record().steps;
        if (state() == operation_state::pending || then.empty()) {
            operation_.set_steps(std::move(now));
            return true;
        }
        if (std::ranges::equal(then, now, same_name)) return try_to_store(operation_.set_error({}));
        if (around_.options.on_changed_steps == changed_steps::refuse)
            return refuse(then, now,
                          "run it with the program that began it, or let on_changed_steps be "
                          "by_name");
        const auto found = find_steps(then, now);
        if (!found) return refuse(then, now, found.error().message);
        for (const auto gone : found->gone) {
            const auto rows = around_.storage.row_numbers(
                row_query{.operation = id(), .step = gone, .page_size = 1, .with_total = false});
            if (!rows) return try_to_store(std::unexpected{rows.error()});
            if (!rows->items.empty())
                return refuse(then, now,
                              concat("step '", then[static_cast<std::size_t>(to_number(gone))],
                                     "' is gone, and row ", to_number(rows->items.front()),
                                     " has been there"));
        }
        tell(log_level::info, "steps moved", {{"from", table_text(then)}, {"to", table_text(now)}});
        return try_to_store(operation_.move_steps(std::move(now), found->to));
    }

    [[nodiscard]] bool try_to_store(const result<>& stored) {
        if (!stored) trouble(stored.error(), &operation_run::begin);
        return stored.has_value();
    }

    /// Leaves the operation as it is, with the reason, for a program that can run it.
    [[nodiscard]] bool refuse(const std::vector<std::string>& then,
                              const std::vector<std::string>& now, std::string_view why) {
        auto text = changed_steps_text(description.name, then, now, why);
        if (try_to_store(operation_.set_error(text)))
            leave_busy(stop_reason::refused, std::move(text));
        return false;
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
                outcomes_.fail(at, each, error_type::signal_failure,
                               "Recovery: step was waiting for signal when application restarted",
                               at.watch.now(), nullptr);
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
        before_.forget();
        phase_ = state() == operation_state::validating ? phase::validating : phase::running;
        if (operation_.was_begun() && phase_ == phase::running)
            submit(&operation_run::look_for_signals);
        pump();
        end_if_idle();
    }

    using supply = row_supply<row_type, visitor>;

    [[nodiscard]] result<std::unique_ptr<supply>> open_rows_of_file() {
        const auto& record = operation_.record();
        return open_supply<row_type, visitor>(
            [&]() -> result<byte_source> {
                if constexpr (requires { around_.storage.file_memory(record.file_id); })
                    if (auto content = around_.storage.file_memory(record.file_id))
                        return byte_source{std::string_view{*content}, content};
                auto pull = around_.storage.open_file(record.file_id, 0);
                if (!pull) return std::unexpected{std::move(pull).error()};
                return byte_source{std::move(*pull)};
            },
            record.file_name, around_.reading, limit_ == 1, Formats{});
    }

    /// The file is gone. What was kept of the rows will do, if it was all of them.
    [[nodiscard]] result<std::unique_ptr<supply>> open_rows_of_records(const error& why) {
        if (!keeps_rows(description) || state() != operation_state::running)
            return std::unexpected{why};
        return std::make_unique<record_supply<row_type, Storage, visitor>>(
            around_.storage, id(), operation_.record().rows.total);
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
        visitor visit{.run = *this, .at = at};
        const timestamp begin = around_.jobs.steady_now();
        const auto end = units_.rows().read(unit, visit);
        const auto took = around_.jobs.steady_now() - begin;
        hand_over(at);
        const locked lock{*this};
        if (end) return units_.finish(unit, *end, took);
        units_.drop();
        stop_reading(end.error());
    }

    /// Writes down what a task has, and parks its rows; whether it may go on.
    bool hand_over(row_task& at) {
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
        const auto failed = [&](const error& what) {
            const locked lock{*this};
            units_.put_back(unit);
            block(what);
            return false;
        };
        auto known = before_.of(around_.storage, id(), row_number{at.first_standing}, unit.rows);
        if (!known) return failed(known.error());
        for (std::size_t i = 0; i < known->size(); ++i) {
            auto& each = (*known)[i];
            if (!each || (each->state != row_state::running &&
                          each->state != row_state::waiting_for_completion))
                continue;
            const row_number row{at.first_standing + i};
            auto record = around_.storage.get(id(), row, each->step);
            if (!record) return failed(record.error());
            if (!*record) continue;
            const auto is_new = begins_anew(**record);
            if (!is_new) return failed(is_new.error());
            if (*is_new)
                each = {each->step, row_state::pending, 0, each->retry_attempt + 1};
            else
                at.interrupted.emplace(row, std::move(**record));
        }
        at.standings = std::move(*known);
        return true;
    }

    template <typename Reader>
    void validate(row_task& at, const row_type& row, read_status status, Reader& reader) {
        if (operation_.was_begun() && at.standing(reader.row())) {
            if (status == read_status::row) validation_->pass_again(row, reader.row());
            return at.writer.pass();
        }
        if (!crashed_.empty()) [[unlikely]]
            if (auto why = crashed_.refusal(reader.row(), std::nullopt, description))
                return validation_->refuse(at, reader.row(), std::move(*why));
        validation_->validate(at, row, status, reader);
    }

    template <typename Reader>
    void process(row_task& at, const row_type& row, read_status status, Reader& reader) {
        const row_number number = reader.row();
        if (validation_->is_refused(number)) return at.writer.pass();
        const auto known = operation_.was_begun() ? at.standing(number) : std::nullopt;
        if (known && !may_go_on(*known)) return at.writer.pass();
        if (!crashed_.empty()) [[unlikely]]
            if (auto why = crashed_.refusal(number, known, description))
                return fail_crashed(at, known, row, number, std::move(*why));
        if (status != read_status::row) return fail_unread(at, known, reader);
        const row_place place{reader, row};
        if (!known) return walk_->walk(at, row, place, {});
        if (const auto before = at.interrupted.find(number); before != at.interrupted.end())
            return walk_->go_back(at, row, place, before->second);
        const bool is_done = known->state == row_state::completed;
        walk_->walk(at, row, place,
                    {.step = to_number(known->step) + (is_done ? 1 : 0),
                     .retry_attempt = is_done ? 0 : known->retry_attempt});
    }

    /// Whether the step of a row that was interrupted begins anew, with all its time, since its wait
    /// ran out between the run that was ended and this one. A signal that came in time counts all
    /// the same: its sender was told that it was given.
    [[nodiscard]] result<bool> begins_anew(row_record& before) {
        if (!ran_out_between_runs(before)) return false;
        const bool is_for_signal = !before.signal_key.empty();
        if (is_for_signal) {
            const auto told =
                around_.storage.close_wait(operation_.held(), before.row, before.step);
            if (!told) return std::unexpected{told.error()};
            if (*told) return false;
        }
        if (before.journal.empty()) return true;
        // A coroutine that was told something before is told it again: no signal is used in vain.
        // Only the wait at which it stood begins anew; a sleep is over when its time is.
        if (is_for_signal) {
            before.wait_until.reset();
            ++before.retry_attempt;
        }
        return false;
    }

    /// Not so when the time ran out in this run, whichever process had it then: its rows keep their
    /// deadlines.
    [[nodiscard]] bool ran_out_between_runs(const row_record& before) const {
        const auto& operation = operation_.record();
        return operation.retry_count > 0 && before.started_at && operation.run_started_at &&
               *before.started_at < *operation.run_started_at && before.wait_until &&
               *before.wait_until <= *operation.run_started_at;
    }

    /// A row that could be read once and cannot any more: the file or the program has changed.
    template <typename Reader>
    void fail_unread(row_task& at, const std::optional<row_progress>& known, Reader& reader) {
        const timestamp now = at.watch.now();
        outcomes_.fail_unread(at, record_of_next(known, reader.row(), now),
                              to_text(reader.problem()), {}, now);
    }

    /// A row that has taken the process with it too often.
    void fail_crashed(row_task& at, const std::optional<row_progress>& known, const row_type& row,
                      row_number number, std::string why) {
        const timestamp now = at.watch.now();
        const auto before = at.interrupted.find(number);
        outcomes_.fail(
            at,
            before != at.interrupted.end() ? before->second : record_of_next(known, number, now),
            description.is_pipeline ? error_type::step_failure : error_type::processing,
            std::move(why), now, &row);
    }

    /// Of the step that a row would be at now.
    [[nodiscard]] row_record record_of_next(const std::optional<row_progress>& known,
                                            row_number number, timestamp now) const {
        const bool is_done = known && known->state == row_state::completed;
        const int step = known ? to_number(known->step) + (is_done ? 1 : 0) : 0;
        auto record = outcomes_.record_of(number, static_cast<step_index>(step), row_state::running,
                                          1, known ? known->retry_attempt : 0);
        record.started_at = now;
        return record;
    }

    [[nodiscard]] static bool may_go_on(const row_progress& known) {
        if (known.state == row_state::failed || known.state == row_state::timed_out) return false;
        return known.state != row_state::completed || known.step != last_step;
    }

    [[nodiscard]] bool is_interrupting() const override { return is_interrupting_.load(); }

    [[nodiscard]] std::unique_ptr<owned_row<row_type>> own(const row_place& place) override {
        const auto text = place.describe();
        return units_.rows().own(text.view(), place.number(), text.line());
    }

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
        if (parked.frame != nullptr) {
            const auto frame = *parked.frame;  // keeps the row
            return walk_->go_on(at, static_cast<coroutine_frame<row_type>&>(*frame).row(),
                                std::move(woken));
        }
        if (const auto own = units_.rows().own(parked.raw.view(), parked.row, parked.raw.line()))
            return walk_->go_on(at, own->value(), std::move(woken));
        auto record = outcomes_.record_of(parked.row, parked.step, row_state::running,
                                          parked.attempt, parked.retry_attempt);
        record.started_at = parked.started_at;
        outcomes_.fail(at, std::move(record), error_type::processing,
                       "the row could not be read again", at.watch.now(), nullptr);
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
        if constexpr (row_validation<Op>::reads_all) {
            for (auto& each : validation_->take_repeated()) repeated_.push_back(each);
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
                    if (*record) validation_->refuse_repeated(at, std::move(**record), each);
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

    run_environment<Storage> around_;
    owned_operation<Storage> operation_;
    row_outcomes<Op> outcomes_{operation_.record(), around_.options.include_row_data_in_errors};
    std::unique_ptr<operation_instance<Op>> instance_;
    std::optional<row_validation<Op>> validation_;
    std::optional<row_walk<Op>> walk_;
    recorder<Storage> recorder_;
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
    standings before_;  ///< of rows that an earlier run has begun

    std::mutex mutex_;  ///< guards what follows
    phase phase_ = phase::beginning;
    std::size_t limit_;
    std::size_t active_ = 0;  ///< tasks that run or are about to
    failure_budget budget_{description, operation_.record().rows.failed};
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
    unit_queue<row_type, visitor> units_;
    waiting_rows waiting_{around_.watch};
};

}  // namespace bulk
