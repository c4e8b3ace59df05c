// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/crashed_rows.hpp>
#include <bulk/run/failure_budget.hpp>
#include <bulk/run/heartbeat.hpp>
#include <bulk/run/open_rows.hpp>
#include <bulk/run/outage.hpp>
#include <bulk/run/parked_row.hpp>
#include <bulk/run/row_records.hpp>
#include <bulk/run/row_resume.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_host.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/run_task.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/unique_values.hpp>
#include <bulk/run/unit_queue.hpp>
#include <bulk/run/waiting_rows.hpp>
#include <bulk/run/wakeup.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// One pass over the rows of an operation: tasks read units of rows, do what the pass does with each row, and
/// record the results.
class row_pass final : public run_host {
public:
    using locked = run_lifecycle::locked;

    row_pass(run_core& core, outage& trouble, wakeup& waits, heartbeat& beat,
             const make_row_work& make)
        : core_{core},
          outage_{trouble},
          wakeup_{waits},
          heartbeat_{beat},
          work_{make(*this, core.around.jobs, core.operation.record(),
                     core.around.options.include_row_data_in_errors)} {}

    [[nodiscard]] row_work& work() { return *work_; }
    void set_crashes(std::vector<crashed_row> crashes) { crashed_.set(std::move(crashes)); }

    /// The rows of a pass, which then comes to `open`.
    [[nodiscard]] result<std::unique_ptr<unit_source>> rows_for(operation_state state) {
        return open_rows(core_, *work_, state);
    }

    // --- the units of the pass; under the lock ---------------------------------------------------

    void open(const locked&, std::unique_ptr<unit_source> rows) {
        units_.open(std::move(rows));
        resume_.forget();
    }
    /// How many tasks would find a unit, of at most so many.
    [[nodiscard]] std::size_t wanted(const locked&, std::size_t most) const {
        return units_.wanted(most);
    }
    [[nodiscard]] std::optional<row_unit> take(const locked& now) {
        auto next = units_.take();
        if (next) return std::move(*next);
        stop_reading(now, next.error());
        return std::nullopt;
    }
    [[nodiscard]] bool is_done(const locked&) const { return units_.is_done(); }
    void clear(const locked&) { units_.clear(); }

    /// How many rows the file has, as far as it was read.
    [[nodiscard]] std::uint64_t row_count() { return units_.rows().row_count(); }

    /// Stops the run when more rows have failed than the operation allows.
    void check_budget(const locked& now) {
        if (auto why = budget_.exceeded(core_.operation.record().rows.total))
            core_.control.stop(now, stop_reason::failed, std::move(*why));
    }

    // --- what a task does ------------------------------------------------------------------------

    void read(const row_unit& unit, run_phase phase) {
        run_task at{core_};
        const bool is_resumed = core_.operation.was_begun();
        if (is_resumed && !load_standings(at, unit)) return;
        const timestamp begin = core_.around.jobs.steady_now();
        const auto end = work_->read(units_.rows(), unit, at,
                                     {.is_validating = phase == run_phase::validating,
                                      .is_resumed = is_resumed,
                                      .crashed = crashed_,
                                      .is_stopping = core_.lifecycle.is_stopping()});
        const auto took = core_.around.jobs.steady_now() - begin;
        hand_over(at);
        const locked now{core_.lifecycle};
        if (end) return units_.finish(unit, *end, took);
        units_.drop();
        stop_reading(now, end.error());
    }

    /// Rows whose wait is over continue.
    void wake(std::vector<woken_row> rows) {
        run_task at{core_};
        const timestamp begin = core_.around.jobs.steady_now();
        const auto count = rows.size();
        for (auto& each : rows) {
            if (!wakeup_.release(each)) continue;
            work_->wake(at, std::move(each));
            if (at.writer.rows() >= at.lent) hand_over(at);
        }
        hand_over(at);
        wakeup_.learn(locked{core_.lifecycle}, core_.around.jobs.steady_now() - begin, count);
    }

    // --- rows that fail without a task; the caller has the run for itself ---------------------------

    /// Rows that wait, and whose steps must not run again.
    [[nodiscard]] result<> fail(const std::vector<row_record>& rows, const std::string& why) {
        run_task at{core_};
        for (const auto& each : rows)
            records_.fail(at, each, error_type::signal_failure, why, at.watch.now());
        hand_over(at);
        return flush();
    }

    /// Rows whose values must be unique are known only at the end of the pass.
    [[nodiscard]] result<> refuse_repeated() {
        if (!work_->reads_all()) return {};
        for (auto& each : work_->take_repeated()) repeated_.push_back(each);
        while (!repeated_.empty())
            if (auto refused = refuse_some_repeated(); !refused) return refused;
        return flush();
    }

    // --- for rows on their way -------------------------------------------------------------------

    [[nodiscard]] unit_source& rows() override { return units_.rows(); }
    [[nodiscard]] bool is_interrupting() const override {
        return core_.lifecycle.is_interrupting();
    }

    bool hand_over(row_task& at) override {
        at.seat->clear();
        const auto failed_rows = at.writer.counted().failed;
        const auto written = at.writer.hand_over([&](row_batch& batch, std::uint64_t rows) {
            return core_.recorded.add(batch, rows, at.lent);
        });
        if (failed_rows > 0) note_failures(failed_rows);
        if (!at.parked.empty() || !written) {
            const locked now{core_.lifecycle};
            for (auto& [row, due] : at.parked) wakeup_.park(now, std::move(row), due);
            at.parked.clear();
            wakeup_.arm(now);
            if (!written) outage_.block(now, written.error());  // the unit is finished all the same
        }
        const bool began_waits = std::exchange(at.began_waits, false);
        if (began_waits || (written && written->began_waits)) core_.control.look_for_signals();
        heartbeat_.schedule_flush();
        return !core_.lifecycle.is_stopping().load(std::memory_order_relaxed);
    }

    [[nodiscard]] bool commit(row_task& at, const row_batch& earlier,
                              const row_batch& own) override {
        const auto stored = at.transaction->commit(earlier, own);
        if (!stored) {
            hold_up(stored.error());
            return false;
        }
        outage_.end();
        core_.around.watch.note(earlier);
        core_.around.watch.note(own);
        at.began_waits |= begins_waits(earlier) || begins_waits(own);
        if (earlier.counted.failed > 0) note_failures(earlier.counted.failed);
        return true;
    }

    void hold_up(const error& why) override {
        const locked now{core_.lifecycle};
        outage_.block(now, why);
    }

    void begin_watch(row_task& at, timestamp until) override {
        if (until != parked_row::no_deadline) until += core_.clock_set_back();
        if (const auto due = core_.board.begin_check(at, core_.lifecycle.stop_token(), until))
            core_.jobs.submit_at(*due, [this] { end_late_checks(); });
        at.ctx.stop_by(at.check->token());
    }
    void end_watch(row_task& at) override { core_.board.end_check(at); }

private:
    /// Loads what is stored of the rows of a unit, when an earlier run has begun them. If that fails, the unit
    /// is put back.
    [[nodiscard]] bool load_standings(row_task& at, const row_unit& unit) {
        at.first_standing = units_.rows().is_exclusive() ? units_.rows().row_count() + 1
                                                         : to_number(unit.place.first_row);
        const auto loaded = resume_.load(at, unit.rows);
        if (loaded) return true;
        const locked now{core_.lifecycle};
        units_.put_back(unit);
        outage_.block(now, loaded.error());
        return false;
    }

    /// Rows cannot be read. If the storage is the cause, nothing is wrong with the operation: the run ends, and
    /// the next one opens the file again and continues. It ends after a pause, since the next one may fail, too.
    void stop_reading(const locked& now, const error& what) {
        constexpr std::chrono::milliseconds longest_pause = std::chrono::seconds{10};
        if (core_.lifecycle.is_stopping()) return;
        if (what.code == errc::storage_lost) return outage_.lose(now, what);
        if (what.code != errc::unavailable)
            return core_.control.stop(now, stop_reason::failed, what.message);
        outage_.log(what);
        core_.control.pause(now, std::min(core_.around.options.lease_time / 3, longest_pause));
        core_.control.stop(now, stop_reason::unreadable, what.message);
    }

    void note_failures(std::uint64_t rows) {
        core_.around.on_events();
        const locked now{core_.lifecycle};
        budget_.add(rows);
        check_budget(now);
    }

    /// As many as one batch has.
    [[nodiscard]] result<> refuse_some_repeated() {
        run_task at{core_};
        result<> done;
        while (done && !repeated_.empty() && at.writer.rows() < core_.batch_size()) {
            const auto& each = repeated_.front();
            auto record = core_.around.storage.get(core_.id(), each.row, validation_step);
            if (!record) {
                done = std::unexpected{std::move(record).error()};
                break;
            }
            if (*record) work_->refuse_repeated(at, std::move(**record), each);
            repeated_.pop_front();
        }
        hand_over(at);
        return done;
    }

    [[nodiscard]] result<> flush() {
        if (const auto written = core_.recorded.flush(); !written)
            return std::unexpected{written.error()};
        return {};
    }

    /// Tells polled steps that still run when their time is over.
    void end_late_checks() {
        if (const auto due = core_.board.end_late_checks(core_.around.jobs.steady_now()))
            core_.jobs.submit_at(*due, [this] { end_late_checks(); });
    }

    run_core& core_;
    outage& outage_;
    wakeup& wakeup_;
    heartbeat& heartbeat_;
    std::unique_ptr<row_work> work_;
    row_records records_{core_.operation.record()};
    crashed_rows crashed_{core_.around.options.max_crashes};
    row_resume resume_{core_.around.storage, core_.operation};
    unit_queue units_;
    failure_budget budget_{core_.description, core_.operation.record().rows.failed};
    std::deque<repeated_value> repeated_;  ///< rows that are still to be refused for it
};

}  // namespace bulk
