// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/patience.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_jobs.hpp>
#include <bulk/run/run_lifecycle.hpp>

#include <chrono>
#include <utility>

namespace bulk {

/// What a run does while its storage fails: it tries again, at growing intervals, until its lease would have
/// expired. Then the run is lost.
class outage {
public:
    using locked = run_lifecycle::locked;

    explicit outage(run_core& core) : core_{core} {}

    void lease_renewed() { patience_.renewed(core_.around.jobs.steady_now()); }
    [[nodiscard]] std::chrono::milliseconds next_delay() { return patience_.next_delay(); }

    /// Something was stored: not only an empty batch.
    void end() {
        patience_.succeeded();
        core_.around.failures.worked(core_.around.jobs.steady_now());
    }

    /// The job that has the run for itself cannot continue: it runs `again` later.
    template <typename Work>
    void retry(const error& why, Work again) {
        log(why);
        if (!is_final(why))
            return core_.jobs.submit_after(next_delay(), std::move(again), running::alone);
        const locked now{core_.lifecycle};
        now->is_busy = false;
        lose(now, why);
    }

    /// Records cannot be written: no task begins until they can.
    void block(const locked& now, const error& why) {
        log(why);
        if (is_final(why)) return lose(now, why);
        if (!std::exchange(now->is_blocked, true))
            core_.jobs.submit_after(next_delay(), [this] { unblock(); });
    }

    /// The operation is another process's, or what is stored of it is damaged.
    void lose(const locked& now, const error& why) {
        now->is_damaged = why.code == errc::damaged;
        core_.control.stop(now, stop_reason::lost, why.message);
    }

    /// What ends the run is logged with its end.
    void log(const error& why) {
        if (!patience::is_final(why))
            core_.around.failures.failed(why.message, core_.around.jobs.steady_now(),
                                         {{"operation", to_text(core_.id())}});
    }

private:
    [[nodiscard]] bool is_final(const error& why) const {
        return patience_.is_at_its_end(why, core_.around.jobs.steady_now());
    }

    void unblock() {
        const bool has_pending = core_.recorded.has_pending();
        const auto written = core_.recorded.flush();
        if (has_pending && written) end();
        const locked now{core_.lifecycle};
        if (now->phase == run_phase::ended) return;
        now->is_blocked = false;
        if (!written) return block(now, written.error());
        if (written->began_waits) core_.control.look_for_signals();
        core_.control.start_tasks(now);
        core_.control.end_if_idle(now);
    }

    run_core& core_;
    patience patience_{core_.around.options.lease_time};
};

}  // namespace bulk
