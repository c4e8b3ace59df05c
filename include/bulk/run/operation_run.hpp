// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/run/abandoned_rows.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/heartbeat.hpp>
#include <bulk/run/operation_end.hpp>
#include <bulk/run/orphaned_rows.hpp>
#include <bulk/run/outage.hpp>
#include <bulk/run/row_pass.hpp>
#include <bulk/run/row_work.hpp>
#include <bulk/run/run_control.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/run/run_jobs.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/step_takeover.hpp>
#include <bulk/run/supply.hpp>
#include <bulk/run/task_pump.hpp>
#include <bulk/run/wakeup.hpp>
#include <bulk/storage/lease.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace bulk {

/// One operation on its way from its claim to its end: two passes over the file, and the phases around them. Every
/// member function but those of `active_run` runs as a job.
class operation_run final : public active_run,
                            public run_control,
                            public std::enable_shared_from_this<operation_run> {
public:
    operation_run(run_environment around, claimed_operation claimed,
                  const operation_description& description, const make_row_work& make)
        : core_{*this, std::move(around), std::move(claimed), description},
          rows_{core_, outage_, wakeup_, heartbeat_, make} {}
    /// Whose jobs know to whom they belong before another thread can call it.
    [[nodiscard]] static std::shared_ptr<operation_run> make(auto&&... given) {
        auto run = std::make_shared<operation_run>(std::forward<decltype(given)>(given)...);
        run->core_.jobs.belong_to(run);
        return run;
    }

    [[nodiscard]] operation_id id() const override { return core_.id(); }

    void start() override {
        heartbeat_.schedule_renewal();  // first: an early failure must find the lease new
        submit(&operation_run::begin);
    }

    void ask_to_stop(stop_reason reason) override {
        const locked now{core_.lifecycle};
        now->is_pausing = false;
        stop(now, reason, {});
    }

    [[nodiscard]] bool is_resting() const override { return tasks_.is_resting(); }

    void check_signals() override { look_for_signals(); }

    [[nodiscard]] std::string abandon() override {
        const locked now{core_.lifecycle};
        if (now->phase == run_phase::ended) return {};
        (void)core_.recorded.flush();
        auto sentence = record_abandoned_rows(core_.board, core_.operation, core_.description,
                                              core_.around.storage, core_.around.jobs.now());
        core_.lifecycle.abandon(now);
        (void)core_.around.storage.release(core_.operation.held());
        return sentence;
    }

private:
    using locked = run_lifecycle::locked;

    void start_tasks(const locked& now) override { tasks_.start(now); }

    void end_if_idle(const locked& now) override {
        if (now->active > 0 || now->is_busy || now->is_pausing || now->phase == run_phase::ended)
            return;
        const bool is_done = rows_.is_done(now) && wakeup_.empty(now);
        if (!core_.lifecycle.is_stopping() && !is_done) return;
        if (now->is_blocked && now->reason != stop_reason::lost) return;  // unblocking comes here
        now->is_busy = true;
        submit(&operation_run::end_phase);
    }

    void stop(const locked& now, stop_reason reason, std::string why) override {
        if (!core_.lifecycle.stop(now, reason, std::move(why))) return;
        tasks_.hurry();
        end_if_idle(now);
    }

    void interrupt(const locked& now, const std::string& why) override {
        if (now->phase == run_phase::ended) return;
        now->is_interrupted = now->is_pausing = true;
        stop(now, stop_reason::lost, why);  // first: with no memory left, `pause` throws
        pause(now, core_.around.options.lease_time / 3);
        core_.log(log_level::warning, "run interrupted", {{"why", why}});
    }

    void pause(const locked& now, std::chrono::microseconds at_least) override {
        now->is_pausing = true;
        core_.jobs.submit_after(at_least, [this] {
            const locked later{core_.lifecycle};
            later->is_pausing = false;
            end_if_idle(later);
        });
    }

    void look_for_signals() override {
        core_.jobs.submit([this] { wakeup_.look_for_signals(); });
    }

    // --- jobs that have the run for themselves ----------------------------------------------------

    using work = void (operation_run::*)();
    void submit(work next) {
        core_.jobs.submit([this, next] { (this->*next)(); }, running::alone);
    }
    /// A call to the storage has failed.
    void retry(const error& why, work again) {
        outage_.retry(why, [this, again] { (this->*again)(); });
    }
    /// The job that has the run for itself ends, and so does the run.
    void leave(stop_reason reason, std::string why) {
        const locked now{core_.lifecycle};
        now->is_busy = false;
        stop(now, reason, std::move(why));
    }
    /// The same if it stops already.
    void end_if_idle() {
        const locked now{core_.lifecycle};
        now->is_busy = false;
        end_if_idle(now);
    }
    /// The operation itself cannot continue.
    void give_up(std::string why) { leave(stop_reason::failed, std::move(why)); }

    [[nodiscard]] operation_state state() const { return core_.operation.record().state; }

    // --- from the claim to the first pass ---------------------------------------------------------

    void begin() {
        const auto& record = core_.operation.record();
        if (record.cancel_requested) return leave(stop_reason::cancelled, {});
        if (core_.operation.was_orphaned() && core_.around.options.orphans == orphan_policy::fail)
            return fail_orphans();
        if (!take_over_steps()) return;
        if (state() == operation_state::pending &&
            !move(operation_state::validating, &operation_run::begin))
            return;
        if (const auto ready = rows_.work().set_up(record.metadata); !ready)
            return give_up(ready.error().message);
        if (state() == operation_state::validating)
            if (const auto valid = rows_.work().validate_metadata(); !valid)
                return give_up(valid.error().message);
        if (state() == operation_state::retrying &&
            !move(operation_state::running, &operation_run::begin))
            return;
        if (core_.operation.was_begun()) {
            auto crashes = core_.around.storage.crashes(id());
            if (!crashes) return retry(crashes.error(), &operation_run::begin);
            rows_.set_crashes(std::move(*crashes));
        }
        open_phase();
    }

    /// The operation's step table must be this program's, or become it. False when it does not, or
    /// when that is to be tried again.
    [[nodiscard]] bool take_over_steps() {
        auto taken = bulk::take_over_steps(core_.operation, core_.description, core_.around.storage,
                                           core_.around.options.on_changed_steps);
        if (!taken) {
            retry(taken.error(), &operation_run::begin);
            return false;
        }
        if (taken->moved)
            core_.log(log_level::info, "steps moved",
                      {{"from", taken->moved->from}, {"to", taken->moved->to}});
        if (taken->refusal) leave(stop_reason::refused, std::move(*taken->refusal));
        return !taken->refusal;
    }

    /// The process that had the operation crashed, and its steps must not run twice: the operation fails.
    void fail_orphans() {
        const auto more = orphans_.fail_some();
        if (!more) return retry(more.error(), &operation_run::fail_orphans);
        if (*more) return submit(&operation_run::fail_orphans);
        give_up(orphans_.reason());
    }

    /// Moves the operation to the next state and tells others. False when that is to be tried `again`, or the
    /// operation belongs to another run now.
    [[nodiscard]] bool move(operation_state next, work again) {
        const auto moved = core_.operation.move(next, core_.around.jobs.now());
        if (!moved) {
            if (moved.error().code == errc::illegal_transition)
                give_up(moved.error().message);
            else
                retry(moved.error(), again);
            return false;
        }
        outage_.end();
        core_.log(log_level::info, "state changed", {{"state", std::string{name_of(state())}}});
        core_.around.on_change();
        return true;
    }

    void open_phase() {
        auto opened = rows_.rows_for(state());
        if (!opened) {
            const error& why = opened.error();
            if (why.code != errc::unavailable && why.code != errc::storage_lost)
                return give_up(why.message);
            if (core_.lifecycle.is_stopping()) return end_if_idle();
            return retry(why, &operation_run::open_phase);
        }
        const locked now{core_.lifecycle};
        now->is_busy = false;
        rows_.open(now, std::move(*opened));
        now->phase =
            state() == operation_state::validating ? run_phase::validating : run_phase::running;
        if (core_.operation.was_begun() && now->phase == run_phase::running) look_for_signals();
        start_tasks(now);
        end_if_idle(now);
    }

    // --- from the last row of a pass to the end ---------------------------------------------------

    void end_phase() {
        const auto status = core_.lifecycle.snapshot();
        if (status.reason == stop_reason::lost) return end_lost(status);
        if (const auto written = core_.recorded.flush(); !written)
            return retry(written.error(), &operation_run::end_phase);
        core_.around.on_events();
        switch (status.reason) {
            case stop_reason::refused:
                core_.around.on_refuse(id());
                [[fallthrough]];
            case stop_reason::paused:
            case stop_reason::shutdown:
            case stop_reason::set_aside:
            case stop_reason::unreadable:
                (void)core_.around.storage.release(core_.operation.held());
                return end();
            case stop_reason::none:
                if (status.phase == run_phase::validating) return end_validation();
                [[fallthrough]];
            default:
                return close(status);
        }
    }

    void end_validation() {
        core_.operation.set_total(rows_.row_count());
        if (const auto refused = rows_.refuse_repeated(); !refused)
            return retry(refused.error(), &operation_run::end_phase);
        rows_.check_budget(locked{core_.lifecycle});
        if (core_.lifecycle.is_stopping()) return end_if_idle();
        if (move(operation_state::running, &operation_run::end_phase)) open_phase();
    }

    /// Nothing is written any more. Every run would find the same damage: the operation keeps the reason, and
    /// this process does not claim it again.
    void end_lost(const run_lifecycle::guarded& status) {
        if (status.is_damaged) (void)core_.operation.set_error(status.why);
        if (status.is_damaged || status.is_interrupted)
            (void)asked([&] { return core_.around.storage.release(core_.operation.held()); });
        if (status.is_damaged) core_.around.on_refuse(id());
        end();
    }

    void close(const run_lifecycle::guarded& status) {
        if (status.phase == run_phase::validating) core_.operation.set_total(rows_.row_count());
        const auto closed = core_.operation.close(
            [&](operation_record& operation, timestamp now) {
                return end_operation(operation, status.reason, status.why, now);
            },
            core_.around.jobs.now());
        if (!closed && closed.error().code != errc::illegal_transition)
            return retry(closed.error(), &operation_run::end_phase);
        if (closed) outage_.end();
        core_.around.on_change();
        end();
    }

    void end() {
        if (const locked now{core_.lifecycle}; core_.lifecycle.end(now)) {
            wakeup_.clear(now);
            rows_.clear(now);
        } else {
            return;
        }
        const auto last = core_.lifecycle.snapshot();
        core_.log(last.reason == stop_reason::lost ? log_level::warning : log_level::info,
                  "run ended", {{"reason", std::string{name_of(last.reason)}}, {"why", last.why}});
        core_.around.on_end(this->shared_from_this());
    }

    run_core core_;
    outage outage_{core_};
    row_pass rows_;  // has the operation, which frames of waiting coroutines may use as they end
    wakeup wakeup_{core_, outage_};
    heartbeat heartbeat_{core_, outage_, wakeup_};
    task_pump tasks_{core_, wakeup_, rows_};
    orphaned_rows orphans_{core_, rows_};
};

}  // namespace bulk
