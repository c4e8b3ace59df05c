// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/answer.hpp>
#include <bulk/run/batch_writer.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/recorder.hpp>
#include <bulk/run/stopwatch.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/storage/concepts.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// What a run works with.
template <storage Storage>
struct run_environment {
    std::shared_ptr<const void> owner;  ///< of what the references below refer to
    Storage& storage;
    executor& jobs;
    const service_options& options;
    const read_options& reading;
    observer& watch;
    /// Events were written, or are about to be.
    std::function<void()> on_events;
    /// The operation is in another state.
    std::function<void()> on_change;
    /// The run has ended; nothing of it happens any more.
    std::function<void(const std::shared_ptr<active_run>&)> on_end;
};

/// One operation on its way from its claim to its end: two passes over the file, each cut into
/// units that tasks take one after the other, and rows that wait in between. Every member function
/// but `start` and `ask_to_stop` runs as a job.
template <typename Op, storage Storage, typename Formats>
class operation_run final
    : public active_run,
      public std::enable_shared_from_this<operation_run<Op, Storage, Formats>> {
public:
    using row_type = typename Op::row_type;

    operation_run(run_environment<Storage> around, claimed_operation claimed)
        : around_{std::move(around)},
          held_{claimed.held},
          record_{std::move(claimed.operation)},
          is_resumed_{record_.state != operation_state::pending},
          recorder_{around_.storage, around_.jobs, around_.watch, held_,
                    static_cast<std::uint64_t>(around_.options.flush_batch_size)},
          limit_{static_cast<std::size_t>(around_.options.max_row_concurrency)} {}

    [[nodiscard]] operation_id id() const override { return held_.operation; }

    void start() override {
        submit(&operation_run::begin);
        schedule_renewal();
    }

    void ask_to_stop(stop_reason reason) override {
        const std::scoped_lock lock{mutex_};
        stop(reason, {});
    }

    [[nodiscard]] std::string abandon() override {
        std::string sentence;
        row_batch batch;
        const std::scoped_lock lock{mutex_};
        if (phase_ == phase::ended) return sentence;
        for (const task* each : tasks_) {
            const auto row = each->row.load(std::memory_order_relaxed);
            const auto step = each->step.load(std::memory_order_relaxed);
            if (row == 0) continue;
            const auto name = description.step_name(static_cast<step_index>(step));
            sentence += concat(sentence.empty() ? "" : "; ", "operation ", to_text(id()), ", row ",
                               row, ": step '", name, "' did not return");
            // Attempt 0: when the operation goes on, the same attempt is made again.
            auto record =
                record_of(row_number{row}, static_cast<step_index>(step), row_state::running, 0);
            record.error_message =
                concat("step '", name, "' did not return before the shutdown time-out");
            record.started_at = around_.jobs.now();
            if (step >= 0) batch.records.push_back(std::move(record));
        }
        phase_ = phase::ended;
        is_stopping_ = true;
        (void)recorder_.flush();
        if (!batch.empty()) (void)around_.storage.record(held_, batch);
        (void)around_.storage.release(held_);
        return sentence;
    }

private:
    enum class phase : std::uint8_t { beginning, validating, running, ended };

    static constexpr auto& description = description_of<Op>;
    static constexpr int step_count = static_cast<int>(step_table<Op>::size);
    static constexpr step_index last_step{step_count - 1};

    /// What a task has at hand while it works.
    struct task {
        explicit task(operation_run& run)
            : watch{run.around_.jobs},
              writer{watch},
              ctx{context::place{.operation = run.held_.operation}, run.stop_source_.get_token()} {}

        stopwatch watch;
        batch_writer writer;
        context ctx;
        answer_details details;
        std::vector<std::optional<row_progress>> standings;  ///< of rows, when resumed
        std::uint64_t first_standing = 0;
        std::atomic<std::uint64_t> row{0};  ///< that user code has; 0 is none
        std::atomic<int> step{0};
    };

    /// Lets others see what a task does.
    class seen_task {
    public:
        seen_task(operation_run& run, const task& at) : run_{run}, at_{at} {
            const std::scoped_lock lock{run_.mutex_};
            run_.tasks_.push_back(&at_);
        }
        seen_task(const seen_task&) = delete;
        seen_task& operator=(const seen_task&) = delete;
        ~seen_task() {
            const std::scoped_lock lock{run_.mutex_};
            std::erase(run_.tasks_, &at_);
        }

    private:
        operation_run& run_;
        const task& at_;
    };

    /// Hands the rows of a unit to the run.
    struct visitor {
        operation_run& run;
        task& at;
        const parked_row* woken = nullptr;  ///< the row goes on instead of beginning

        template <typename Reader>
        bool operator()(row_type& row, read_status status, Reader& reader) {
            if (woken != nullptr) {
                if (status == read_status::row) run.go_on(at, row, *woken);
                return true;
            }
            if (run.phase_ == phase::validating)
                run.validate(at, row, status, reader);
            else
                run.process(at, row, status, reader);
            if (at.writer.rows() >= run.batch_size()) return run.hand_over(at);
            return !run.is_stopping_.load(std::memory_order_relaxed);
        }
    };
    using supply = row_supply<row_type, visitor>;

    // --- jobs ------------------------------------------------------------------------------------

    void submit(void (operation_run::*work)()) {
        around_.jobs.submit(job{[self = this->shared_from_this(), work] { (*self.*work)(); }});
    }
    void submit_after(std::chrono::microseconds delay, void (operation_run::*work)()) {
        around_.jobs.submit_at(around_.jobs.now() + delay,
                               job{[weak = this->weak_from_this(), work] {
                                   if (const auto self = weak.lock()) (*self.*work)();
                               }});
    }

    [[nodiscard]] std::uint64_t batch_size() const {
        return static_cast<std::uint64_t>(around_.options.flush_batch_size);
    }

    // --- from the claim to the first pass ---------------------------------------------------------

    void begin() {
        if (record_.cancel_requested) return leave_busy(stop_reason::cancelled, {});
        auto metadata = json::read_metadata<typename Op::metadata_type>(record_.metadata);
        if (!metadata) return give_up(metadata.error().message);
        const auto made = guarded(
            [&] { instance_ = std::make_unique<operation_instance<Op>>(std::move(*metadata)); });
        if (!made) return give_up(concat("the operation cannot be set up: ", made.error().message));
        if (record_.state == operation_state::pending &&
            !move(operation_state::validating, &operation_run::begin))
            return;
        if (record_.state == operation_state::validating)
            if (const auto valid = instance_->validate_metadata(); !valid)
                return give_up(valid.error().message);
        if (record_.state == operation_state::retrying &&
            !move(operation_state::running, &operation_run::begin))
            return;
        open_phase();
    }

    /// Moves the operation on and tells it. False when that is to be tried `again`, or the operation
    /// is not ours any more.
    [[nodiscard]] bool move(operation_state next, void (operation_run::*again)()) {
        const timestamp now = around_.jobs.now();
        operation_record changed = record_;
        const auto previous = changed.state;
        if (const auto moved = move_to(changed, next, now); !moved) {
            give_up(moved.error().message);
            return false;
        }
        auto stored =
            around_.storage.update(held_, changed, {status_changed_event(changed, previous, now)});
        if (!stored) {
            trouble(stored.error(), again);
            return false;
        }
        record_ = std::move(*stored);
        event_about_ = record_;
        tell(log_level::info, "state changed", {{"state", std::string{name_of(record_.state)}}});
        around_.on_change();
        return true;
    }

    void open_phase() {
        auto opened = open_supply<row_type, visitor>(
            [this]() -> result<byte_source> {
                if constexpr (requires { around_.storage.file_memory(record_.file_id); })
                    if (auto content = around_.storage.file_memory(record_.file_id))
                        return byte_source{std::string_view{*content}, content};
                auto pull = around_.storage.open_file(record_.file_id, 0);
                if (!pull) return std::unexpected{std::move(pull).error()};
                return byte_source{std::move(*pull)};
            },
            record_.file_name, around_.reading, limit_ == 1, Formats{});
        if (!opened) {
            if (opened.error().code == errc::unavailable)
                return trouble(opened.error(), &operation_run::open_phase);
            return give_up(opened.error().message);
        }
        const std::scoped_lock lock{mutex_};
        is_busy_ = false;
        supply_ = std::move(*opened);
        is_supply_done_ = false;
        rows_per_unit_ = 1;
        nanos_per_row_ = 0;
        phase_ = record_.state == operation_state::validating ? phase::validating : phase::running;
        pump();
        end_if_idle();
    }

    // --- tasks -----------------------------------------------------------------------------------

    /// Starts as many tasks as may run and have something to do. Under the lock.
    void pump(bool at_end_of_task = false) {
        const bool may_cut = !is_supply_done_ && !is_stopping_ && !is_blocked_;
        std::size_t wanted = is_stopping_ || is_blocked_ ? 0 : ready_.size() + put_back_.size();
        if (may_cut) wanted += supply_->is_exclusive() ? (is_supply_taken_ ? 0 : 1) : limit_;
        while (active_ < limit_ && wanted > 0) {
            ++active_;
            --wanted;
            job next{[self = this->shared_from_this()] { self->work(); }};
            if (std::exchange(at_end_of_task, false))
                around_.jobs.submit_next(std::move(next));
            else
                around_.jobs.submit(std::move(next));
        }
    }

    /// One task: a row that has waited, or one unit of rows; then the next task's turn, which may be
    /// another operation's.
    void work() {
        std::optional<parked_row> woken;
        std::optional<row_unit> unit;
        {
            const std::scoped_lock lock{mutex_};
            if (!is_stopping_ && !is_blocked_) {
                if (!ready_.empty()) {
                    woken = std::move(ready_.front());
                    ready_.pop_front();
                } else if (!put_back_.empty()) {
                    unit = std::move(put_back_.front());
                    put_back_.pop_front();
                } else if (!is_supply_done_ && !(supply_->is_exclusive() && is_supply_taken_)) {
                    unit = cut();
                }
            }
            if (!woken && !unit) {
                --active_;
                return end_if_idle();
            }
            is_supply_taken_ |= unit.has_value() && supply_->is_exclusive();
        }
        if (woken)
            wake(*woken);
        else
            read(*unit);
        const std::scoped_lock lock{mutex_};
        if (unit && supply_->is_exclusive()) is_supply_taken_ = false;
        --active_;
        pump(true);
        end_if_idle();
    }

    /// Under the lock.
    [[nodiscard]] std::optional<row_unit> cut() {
        auto next = supply_->cut(rows_per_unit_);
        if (!next) {
            stop(stop_reason::failed, next.error().message);
            return std::nullopt;
        }
        if (!*next) is_supply_done_ = true;
        return std::move(*next);
    }

    void read(const row_unit& unit) {
        task at{*this};
        const seen_task seen{*this, at};
        if (is_resumed_ && !load_standings(at, unit)) return;
        visitor visit{*this, at};
        const timestamp begin = around_.jobs.now();
        const auto end = supply_->read(unit, visit);
        const auto took = around_.jobs.now() - begin;
        hand_over(at);
        const std::scoped_lock lock{mutex_};
        if (!end)
            stop(stop_reason::failed, end.error().message);
        else if (*end == unit_end::end_of_file && supply_->is_exclusive())
            is_supply_done_ = true;
        learn(took, unit.rows);
    }

    /// How many rows make a unit: about a millisecond's worth, so that quick rows cost nothing to
    /// hand out and slow ones are spread over all tasks. Nobody knows at first, so it begins with
    /// one. Under the lock.
    void learn(std::chrono::microseconds took, std::uint64_t rows) {
        constexpr std::uint64_t target = 1'000'000, most = 4096;
        const auto nanos = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0)) *
                           1000 / std::max<std::uint64_t>(rows, 1);
        nanos_per_row_ = nanos > nanos_per_row_ ? nanos : (3 * nanos_per_row_ + nanos) / 4;
        const std::uint64_t fitting = target / std::max<std::uint64_t>(nanos_per_row_, 1);
        rows_per_unit_ = std::clamp<std::uint64_t>(std::min(fitting, rows_per_unit_ * 4), 1, most);
    }

    /// Writes down what a task has; whether it may go on.
    bool hand_over(task& at) {
        at.row.store(0, std::memory_order_relaxed);
        const auto failed_rows = at.writer.counted().failed;
        auto written =
            at.writer.hand_over([&](row_batch& batch, std::uint64_t rows, timestamp now) {
                return recorder_.add(batch, rows, now);
            });
        if (failed_rows > 0) {
            around_.on_events();
            const std::scoped_lock lock{mutex_};
            failed_rows_ += failed_rows;
            check_budget();
        }
        if (!written) {  // the rest of the unit is done all the same: nobody else would
            const std::scoped_lock lock{mutex_};
            block(written.error());
        }
        schedule_flush();
        return !is_stopping_.load(std::memory_order_relaxed);
    }

    /// Stops when more rows have failed than the operation allows. Under the lock.
    void check_budget() {
        const auto refuse = [&](std::string_view limit) {
            stop(stop_reason::failed, concat(failed_rows_, " rows have failed, more than ", limit,
                                             ": the rest is not processed"));
        };
        if constexpr (description.max_failed_rows.has_value())
            if (failed_rows_ > *description.max_failed_rows)
                return refuse(concat("the ", *description.max_failed_rows, " of max_failed_rows"));
        if constexpr (description.max_failed_ratio.has_value()) {
            const auto total = static_cast<double>(record_.rows.total);
            if (total > 0 &&
                static_cast<double>(failed_rows_) > *description.max_failed_ratio * total)
                return refuse(concat("the share of max_failed_ratio of ", record_.rows.total));
        }
    }

    // --- a row -----------------------------------------------------------------------------------

    /// What the store knows of the rows of a unit, when an earlier run has begun them. Without
    /// knowing nothing may be done: the unit is put back then.
    [[nodiscard]] bool load_standings(task& at, const row_unit& unit) {
        at.first_standing =
            supply_->is_exclusive() ? supply_->row_count() + 1 : to_number(unit.place.first_row);
        auto known =
            around_.storage.progress(held_.operation, row_number{at.first_standing}, unit.rows);
        if (known) {
            at.standings = std::move(*known);
            return true;
        }
        const std::scoped_lock lock{mutex_};
        if (!supply_->is_exclusive()) put_back_.push_back(unit);
        block(known.error());
        return false;
    }

    [[nodiscard]] static std::optional<row_progress> standing(const task& at, row_number row) {
        return at.standings[to_number(row) - at.first_standing];
    }

    template <typename Reader>
    void validate(task& at, row_type& row, read_status status, Reader& reader) {
        const row_number number = reader.row();
        if (is_resumed_ && standing(at, number)) return at.writer.pass();
        if (status == read_status::bad_row)
            return refuse(at, number, error_type::parse, to_text(reader.problem()), {});
        at.row.store(to_number(number), std::memory_order_relaxed);
        at.step.store(-1, std::memory_order_relaxed);
        if constexpr (operation_instance<Op>::has_row_validators)
            if (auto valid = instance_->validate_row(row); !valid)
                return refuse(at, number, error_type::validation, std::move(valid).error().message,
                              &row);
        put_row_id(at, number, row);
        if constexpr (description.track_row_data) {
            auto record = record_of(number, validation_step, row_state::completed, 1);
            record.started_at = record.completed_at = at.watch.now();
            record.row_data = row_data(row);
            at.writer.put(std::move(record));
        } else {
            at.writer.quickly_done(number, validation_step, validation_step);
        }
        if (at.watch.end_row()) at.writer.close_window();
        at.writer.pass();
    }

    /// A row that does not get to its first step.
    void refuse(task& at, row_number number, error_type type, std::string why,
                const row_type* row) {
        const timestamp now = at.watch.now();
        auto record = record_of(number, validation_step, row_state::running, 1);
        record.started_at = now;
        if (row != nullptr) {
            put_row_id(at, number, *row);
            if constexpr (description.track_row_data) record.row_data = row_data(*row);
        }
        fail_record(at, std::move(record), type, std::move(why), now);
    }

    template <typename Reader>
    void process(task& at, row_type& row, read_status status, Reader& reader) {
        if (status != read_status::row) return at.writer.pass();
        const row_number number = reader.row();
        int first = 0;
        std::uint32_t attempt = 1;
        if (const auto known = standing_to_process(at, number)) {
            if (!may_go_on(*known)) return at.writer.pass();
            const bool is_done = known->state == row_state::completed;
            first = to_number(known->step) + (is_done ? 1 : 0);
            if (known->state == row_state::running) attempt = known->attempt + 1;
        }
        walk(at, row, place_of(reader), first, attempt);
    }

    /// Of rows that were refused, the store knows; nothing else is asked for unless resumed.
    [[nodiscard]] std::optional<row_progress> standing_to_process(task& at, row_number number) {
        if (is_resumed_) return standing(at, number);
        const auto bit = to_number(number);
        if (bit < refused_.size() && refused_[bit])
            return row_progress{validation_step, row_state::failed, 1};
        return std::nullopt;
    }

    [[nodiscard]] static bool may_go_on(const row_progress& known) {
        if (known.state == row_state::failed || known.state == row_state::timed_out) return false;
        return known.state != row_state::completed || known.step != last_step;
    }

    /// Where a row stands in the file. Line and text are asked for only when the row is parked:
    /// few are, and counting lines takes time.
    struct row_place {
        row_number number{};
        const void* reader = nullptr;
        void (*describe)(const void* reader, parked_row& parked) = nullptr;
    };

    template <typename Reader>
    [[nodiscard]] static row_place place_of(const Reader& reader) {
        return {reader.row(), &reader, [](const void* from, parked_row& parked) {
                    const auto& reader = *static_cast<const Reader*>(from);
                    parked.line = reader.line();
                    parked.raw = std::string{reader.raw()};
                }};
    }
    [[nodiscard]] static row_place place_of(const parked_row& woken) {
        return {woken.row, &woken, [](const void* from, parked_row& parked) {
                    const auto& before = *static_cast<const parked_row*>(from);
                    parked.line = before.line;
                    parked.raw = before.raw;
                }};
    }

    /// A row through its steps, from number `first` on.
    void walk(task& at, const row_type& row, const row_place& place, int first,
              std::uint32_t attempt) {
        const bool is_exact = at.watch.is_exact() || first > 0 || attempt > 1;
        timestamp began = is_exact ? at.watch.now() : timestamp{};
        int done = first;
        const bool finished =
            instance_->steps().visit_from(static_cast<std::size_t>(first), [&](const auto& step) {
                enter(at, place.number, step, attempt);
                const auto said = call(at, step, row);
                if (said == answer::done) [[likely]] {
                    ++done;
                    if (!is_exact) return true;
                    const timestamp now = at.watch.now();
                    step_done(at, place.number, step.description.index, attempt, began, now, {});
                    began = now;
                    attempt = 1;
                    return true;
                }
                if (!is_exact) began = quick_part(at, place.number, first, done);
                if (!take(at, place, step, said, attempt, began, began, {})) return false;
                ++done;
                began = at.watch.now();
                attempt = 1;
                return true;
            });
        if (finished) {
            if (!is_exact) at.writer.quickly_done(place.number, step_index{}, last_step);
            at.writer.count(true);
        } else {
            at.writer.pass();
        }
        if (at.watch.end_row()) at.writer.close_window();
    }

    template <typename Step>
    void enter(task& at, row_number number, const Step& step, std::uint32_t attempt) {
        at.row.store(to_number(number), std::memory_order_relaxed);
        at.step.store(step.description.index, std::memory_order_relaxed);
        at.ctx.enter(number, static_cast<step_index>(step.description.index), step.description.name,
                     attempt);
    }

    /// Executes a step, and asks a polled one for the first time.
    template <typename Step>
    [[nodiscard]] answer call(task& at, const Step& step, const row_type& row) {
        const auto said = call_step(step, row, instance_->metadata(), at.ctx, at.details);
        if constexpr (Step::kind == step_kind::polled) {
            if (said != answer::done) return said;
            return check(at, step, row);
        } else if constexpr (Step::kind == step_kind::signalled) {
            if (said != answer::done) return said;
            const auto key = guarded([&] {
                at.details = {.text = step.signal_key(row, instance_->metadata()),
                              .timeout = step.description.timeout};
            });
            if (key) return answer::waiting;
            at.details = {.text = key.error().message};
            return answer::failed;
        } else {
            return said;
        }
    }

    template <typename Step>
    [[nodiscard]] answer check(task& at, const Step& step, const row_type& row) {
        const auto said = check_step(step, row, instance_->metadata(), at.ctx, at.details);
        if (said == answer::polling)
            at.details = {.after = step.description.poll_interval,
                          .timeout = step.description.timeout};
        return said;
    }

    /// The steps that went well before one that did not, when nobody looked at the clock.
    timestamp quick_part(task& at, row_number number, int first, int done) {
        const timestamp now = at.writer.close_window();
        if (done > first)
            at.writer.quickly_done(number, static_cast<step_index>(first),
                                   static_cast<step_index>(done - 1));
        return now;
    }

    void step_done(task& at, row_number number, int step, std::uint32_t attempt, timestamp began,
                   timestamp now, std::string note) {
        const auto index = static_cast<step_index>(step);
        auto record = record_of(number, index, row_state::completed, attempt);
        record.started_at = began;
        record.completed_at = now;
        record.error_message = std::move(note);
        if (attempt > 1 || !record.error_message.empty()) return at.writer.put(std::move(record));
        at.writer.done({number, 1, index, index, began, now}, record);
    }

    /// What follows from an answer that is not `done`; whether the row goes on to the next step.
    template <typename Step>
    bool take(task& at, const row_place& place, const Step& step, answer said,
              std::uint32_t attempt, timestamp began, timestamp wait_began,
              std::optional<timestamp> deadline) {
        const auto& about = step.description;
        const timestamp now = at.watch.now();
        const auto index = static_cast<step_index>(about.index);
        auto record = record_of(place.number, index, row_state::running, attempt);
        record.started_at = began;
        parked_row parked{
            .row = place.number, .step = index, .attempt = attempt, .started_at = began};
        switch (said) {
            case answer::done:
                step_done(at, place.number, about.index, attempt, began, now, {});
                return true;
            case answer::skipped:
                step_done(at, place.number, about.index, attempt, began, now,
                          std::move(at.details.text));
                return true;
            case answer::again:
                if (attempt <= static_cast<std::uint32_t>(about.max_retries)) {
                    record.error_message = std::move(at.details.text);
                    const auto delay = at.details.after.value_or(delay_before(
                        about.backoff, static_cast<int>(attempt), random_share(around_.jobs)));
                    parked.attempt = attempt + 1;
                    parked.reason = deadline ? park_reason::check : park_reason::back_off;
                    parked.deadline = deadline;
                    parked.interval = about.poll_interval;
                    park(at, place, std::move(parked), std::move(record), now + delay);
                    return false;
                }
                [[fallthrough]];
            case answer::failed:
                fail_record(
                    at, std::move(record),
                    description.is_pipeline ? error_type::step_failure : error_type::processing,
                    std::move(at.details.text), now);
                return false;
            case answer::polling: {
                const auto interval = at.details.after.value_or(about.poll_interval);
                if (!deadline && at.details.timeout) deadline = wait_began + *at.details.timeout;
                if (deadline && now >= *deadline)
                    return time_out_row(at, std::move(record), about, now);
                (void)move_to(record, row_state::waiting_for_completion, now);
                parked.reason =
                    Step::kind == step_kind::polled ? park_reason::check : park_reason::repeat;
                parked.deadline = deadline;
                parked.interval = interval;
                auto due = now + interval + jitter(interval);
                if (deadline) due = std::min(due, *deadline);
                park(at, place, std::move(parked), std::move(record), due);
                return false;
            }
            case answer::waiting:
                (void)move_to(record, row_state::waiting_for_completion, now);
                record.signal_key = parked.signal_key = std::move(at.details.text);
                parked.reason = park_reason::signal;
                if (at.details.timeout) parked.deadline = now + *at.details.timeout;
                const auto due = parked.deadline;
                park(at, place, std::move(parked), std::move(record), due);
                return false;
        }
        return false;
    }

    bool time_out_row(task& at, row_record record, const step_description& about, timestamp now) {
        (void)time_out(record, about.name, now);
        at.writer.put(row_failed_event(event_about_, record, now));
        at.writer.put(std::move(record));
        at.writer.count(false);
        return false;
    }

    // --- waiting ---------------------------------------------------------------------------------

    /// The row leaves its task, with its bytes, until it is due.
    void park(task& at, const row_place& place, parked_row parked, row_record record,
              std::optional<timestamp> due) {
        place.describe(place.reader, parked);
        at.writer.put(std::move(record));
        std::uint64_t ticket = 0;
        {
            const std::scoped_lock lock{mutex_};
            ticket = next_ticket_++;
            parked_.emplace(ticket, std::move(parked));
        }
        around_.watch.note_waiting(1);
        if (due)
            around_.jobs.submit_at(*due, job{[weak = this->weak_from_this(), ticket] {
                if (const auto self = weak.lock()) self->due(ticket);
            }});
    }

    void due(std::uint64_t ticket) {
        const std::scoped_lock lock{mutex_};
        const auto found = parked_.find(ticket);
        if (found == parked_.end()) return;
        ready_.push_back(std::move(found->second));
        parked_.erase(found);
        around_.watch.note_waiting(-1);
        pump();
    }

    /// A row whose time has come.
    void wake(const parked_row& row) {
        task at{*this};
        const seen_task seen{*this, at};
        visitor visit{*this, at, &row};
        if (!supply_->read_again(row.raw, row.row, row.line, visit)) {
            const timestamp now = at.watch.now();
            auto record = record_of(row.row, row.step, row_state::running, row.attempt);
            record.started_at = row.started_at;
            fail_record(at, std::move(record), error_type::processing,
                        "the row could not be read again", now);
        }
        hand_over(at);
    }

    void go_on(task& at, const row_type& row, const parked_row& parked) {
        const row_place place = place_of(parked);
        const int first = to_number(parked.step);
        if (parked.reason == park_reason::back_off)
            return walk(at, row, place, first, parked.attempt);
        bool goes_on = false;
        (void)instance_->steps().visit_from(static_cast<std::size_t>(first), [&](const auto& step) {
            enter(at, parked.row, step, parked.attempt);
            const timestamp now = at.watch.now();
            answer said = answer::polling;
            if (parked.reason == park_reason::signal) {
                at.details = {};  // nobody said so in time
            } else if (parked.reason == park_reason::repeat) {
                said = call_step(step, row, instance_->metadata(), at.ctx, at.details);
            } else {
                if constexpr (std::remove_cvref_t<decltype(step)>::kind == step_kind::polled)
                    said = check(at, step, row);
            }
            goes_on = take(at, place, step, said, parked.attempt, parked.started_at, now,
                           parked.deadline);
            return false;  // one step; the others walk
        });
        if (!goes_on) return at.writer.pass();
        walk(at, row, place, first + 1, 1);
    }

    // --- records ---------------------------------------------------------------------------------

    [[nodiscard]] row_record record_of(row_number number, step_index step, row_state state,
                                       std::uint32_t attempt) const {
        return {.operation = held_.operation,
                .row = number,
                .step = step,
                .state = state,
                .attempt = attempt};
    }

    void fail_record(task& at, row_record record, error_type type, std::string why, timestamp now) {
        (void)fail_row(record, type, std::move(why), now);
        at.writer.put(row_failed_event(event_about_, record, now));
        if (record.step == validation_step) mark_refused(record.row);
        at.writer.put(std::move(record));
        at.writer.count(false);
    }

    void mark_refused(row_number row) {
        const std::scoped_lock lock{refused_mutex_};
        if (to_number(row) >= refused_.size()) refused_.resize(to_number(row) + 1);
        refused_[to_number(row)] = true;
    }

    void put_row_id(task& at, row_number number, const row_type& row) {
        if constexpr (row_id_columns<row_type>() > 0)
            for_each_pointer(columns_of<row_type>, [&]<auto Pointer>(std::size_t i) {
                if constexpr (!is_hidden<member_type_of<Pointer>>)
                    if (column_descriptions<row_type>[i].row_id)
                        at.writer.put_id(number, std::string{to_text(row.*Pointer)});
            });
    }

    [[nodiscard]] static std::string row_data(const row_type& row) {
        std::string data;
        json::write_row(data, row);
        return data;
    }

    [[nodiscard]] std::chrono::milliseconds jitter(std::chrono::milliseconds interval) {
        return std::chrono::milliseconds{static_cast<std::chrono::milliseconds::rep>(
            static_cast<double>(interval.count()) * 0.2 * random_share(around_.jobs))};
    }

    // --- the end of a phase, and trouble ----------------------------------------------------------

    /// Under the lock.
    void stop(stop_reason reason, std::string why) {
        if (phase_ == phase::ended) return;
        if (!is_stopping_ || reason == stop_reason::lost) {
            stop_reason_ = reason;
            stop_message_ = std::move(why);
        }
        is_stopping_ = true;
        if (reason != stop_reason::failed) stop_source_.request_stop();
        end_if_idle();
    }

    /// Under the lock.
    void end_if_idle() {
        if (active_ > 0 || is_busy_) return;
        const bool is_done =
            is_supply_done_ && ready_.empty() && parked_.empty() && put_back_.empty();
        if (!is_stopping_ && !is_done) return;
        if (is_blocked_ && stop_reason_ != stop_reason::lost) return;  // its retry comes back here
        is_busy_ = true;
        submit(&operation_run::end_phase);
    }

    /// The job that keeps the run busy ends, and so does the run.
    void leave_busy(stop_reason reason, std::string why) {
        const std::scoped_lock lock{mutex_};
        is_busy_ = false;
        stop(reason, std::move(why));
    }

    void end_phase() {
        stop_reason reason{};
        std::string why;
        {
            const std::scoped_lock lock{mutex_};
            reason = stop_reason_;
            why = stop_message_;
        }
        if (reason == stop_reason::lost) return end();
        if (const auto written = recorder_.flush(); !written)
            return trouble(written.error(), &operation_run::end_phase);
        around_.on_events();
        switch (reason) {
            case stop_reason::paused:
            case stop_reason::shutdown:
                (void)around_.storage.release(held_);
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
        record_.rows.total = supply_->row_count();
        {
            const std::scoped_lock lock{mutex_};
            check_budget();
            if (is_stopping_) {
                is_busy_ = false;
                return end_if_idle();
            }
        }
        if (move(operation_state::running, &operation_run::end_phase)) open_phase();
    }

    /// The operation's last change.
    template <typename Change>
    void close(Change change) {
        auto current = around_.storage.get(held_.operation);
        if (!current) return trouble(current.error(), &operation_run::end_phase);
        const timestamp now = around_.jobs.now();
        const auto previous = current->state;
        if (const auto changed = change(*current, now); !changed) {
            return end();  // somebody else has ended it
        }
        current->rows.total = std::max(current->rows.total, record_.rows.total);
        std::vector<event> events{status_changed_event(*current, previous, now)};
        if (auto last = final_event(*current, now)) events.push_back(std::move(*last));
        auto stored = around_.storage.update(held_, *current, events);
        if (!stored) return trouble(stored.error(), &operation_run::end_phase);
        around_.on_change();
        end();
    }

    void end() {
        {
            const std::scoped_lock lock{mutex_};
            phase_ = phase::ended;
            around_.watch.note_waiting(-static_cast<int>(parked_.size()));
            parked_.clear();
            ready_.clear();
            put_back_.clear();
        }
        tell(stop_reason_ == stop_reason::lost ? log_level::warning : log_level::info, "run ended",
             {{"reason", std::string{name_of(stop_reason_)}}, {"why", stop_message_}});
        around_.on_end(this->shared_from_this());
    }

    void tell(log_level level, std::string_view event,
              std::vector<std::pair<std::string_view, std::string>> fields) const {
        fields.insert(fields.begin(), {"operation", to_text(held_.operation)});
        around_.watch.log(level, event, std::move(fields));
    }

    /// The operation itself cannot go on.
    void give_up(std::string why) { leave_busy(stop_reason::failed, std::move(why)); }

    /// A call to the store failed: another has the operation, or the store does not answer and the
    /// work is tried again a little later, until the lease would have run out.
    void trouble(const error& what, void (operation_run::*again)()) {
        tell(log_level::warning, "storage failed", {{"why", what.message}});
        if (is_beyond_help(what)) return leave_busy(stop_reason::lost, what.message);
        submit_after(next_delay(), again);
    }

    [[nodiscard]] bool is_beyond_help(const error& what) const {
        return what.code == errc::conflict || what.code == errc::not_found ||
               around_.jobs.now() - last_renewal_.load() > around_.options.lease_time;
    }

    /// Records cannot be written: nothing new begins until they can. Under the lock.
    void block(const error& what) {
        tell(log_level::warning, "storage failed", {{"why", what.message}});
        if (is_beyond_help(what)) return stop(stop_reason::lost, what.message);
        if (std::exchange(is_blocked_, true)) return;
        submit_after(next_delay(), &operation_run::unblock);
    }

    void unblock() {
        const auto written = recorder_.flush();
        const std::scoped_lock lock{mutex_};
        if (phase_ == phase::ended) return;
        is_blocked_ = false;
        if (!written) return block(written.error());
        delay_ = first_delay.count();
        if (!is_busy_) pump();
        end_if_idle();
    }

    [[nodiscard]] std::chrono::milliseconds next_delay() {
        const auto delay = delay_.load();
        delay_ = std::min<std::chrono::milliseconds::rep>(2 * delay, 2'000);
        return std::chrono::milliseconds{delay};
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
        if (const auto written = recorder_.flush(); !written) {
            const std::scoped_lock lock{mutex_};
            if (phase_ != phase::ended) block(written.error());
            return;
        }
        around_.on_events();
    }

    void schedule_renewal() {
        last_renewal_ = around_.jobs.now();
        constexpr std::chrono::milliseconds often{500};  // others may have asked for something
        submit_after(std::min<std::chrono::milliseconds>(around_.options.lease_time / 3, often),
                     &operation_run::renew);
    }

    void renew() {
        {
            const std::scoped_lock lock{mutex_};
            if (phase_ == phase::ended) return;
        }
        const auto current =
            around_.storage.renew(held_, around_.jobs.now(), around_.options.lease_time);
        const std::scoped_lock lock{mutex_};
        if (phase_ == phase::ended) return;
        if (!current) {
            if (current.error().code == errc::conflict)
                return stop(stop_reason::lost, current.error().message);
            submit_after(next_delay(), &operation_run::renew);
            return;
        }
        if (current->cancel_requested)
            stop(stop_reason::cancelled, {});
        else if (current->paused)
            stop(stop_reason::paused, {});
        schedule_renewal();
    }

    static constexpr std::chrono::milliseconds first_delay{50};

    run_environment<Storage> around_;
    lease held_;
    operation_record record_;  ///< as it was stored last by this run
    operation_record event_about_{record_};
    bool is_resumed_;
    std::unique_ptr<operation_instance<Op>> instance_;
    std::unique_ptr<supply> supply_;
    recorder<Storage> recorder_;
    std::stop_source stop_source_;

    std::mutex refused_mutex_;
    std::vector<bool>
        refused_;  ///< rows that did not get past validation; written in the first pass

    std::mutex mutex_;  ///< guards what follows
    phase phase_ = phase::beginning;
    std::size_t limit_;
    std::size_t active_ = 0;  ///< tasks that run or are about to
    std::uint64_t failed_rows_{record_.rows.failed};
    std::uint64_t rows_per_unit_ = 1;
    std::uint64_t nanos_per_row_ = 0;
    bool is_busy_ = true;  ///< between the phases: one job has the run for itself
    bool is_supply_done_ = false;
    bool is_supply_taken_ = false;
    bool is_blocked_ = false;
    std::atomic<bool> is_stopping_{false};
    stop_reason stop_reason_ = stop_reason::none;
    std::string stop_message_;
    std::vector<const task*> tasks_;
    std::deque<row_unit> put_back_;  ///< that could not be begun
    std::deque<parked_row> ready_;
    std::map<std::uint64_t, parked_row> parked_;
    std::uint64_t next_ticket_ = 0;
    std::atomic<std::chrono::milliseconds::rep> delay_ = first_delay.count();
    std::atomic<timestamp> last_renewal_{};
    std::atomic<bool> is_flush_scheduled_{false};
};

}  // namespace bulk
