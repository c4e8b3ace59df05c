// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/outage.hpp>
#include <bulk/run/run_core.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/wakeup.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace bulk {

/// What a run does at intervals: it renews its lease, learns what other processes have requested, and writes
/// records that would wait too long for a full batch.
class heartbeat {
public:
    using locked = run_lifecycle::locked;

    heartbeat(run_core& core, outage& trouble, wakeup& waits)
        : core_{core}, outage_{trouble}, wakeup_{waits} {}

    /// The lease was renewed just now.
    void schedule_renewal() {
        outage_.lease_renewed();
        constexpr std::chrono::milliseconds often{
            500};  // another process may have paused or cancelled
        core_.jobs.submit_after(
            std::min<std::chrono::milliseconds>(core_.around.options.lease_time / 3, often),
            [this] { renew(); });
    }

    /// Something was recorded.
    void schedule_flush() {
        if (is_flush_scheduled_.exchange(true)) return;
        core_.jobs.submit_after(core_.around.options.flush_interval, [this] { flush(); });
    }

private:
    void renew() {
        {
            const locked now{core_.lifecycle};
            if (now->phase == run_phase::ended || now->reason == stop_reason::lost) return;
        }
        const auto current = core_.around.storage.renew(
            core_.operation.held(), core_.around.jobs.now(), core_.around.options.lease_time);
        {
            const locked now{core_.lifecycle};
            if (now->phase == run_phase::ended) return;
            if (!current) return renew_later(now, current.error());
            if (current->cancel_requested)
                core_.control.stop(now, stop_reason::cancelled, {});
            else if (current->paused)
                core_.control.stop(now, stop_reason::paused, {});
            schedule_renewal();
            if (!wakeup_.is_waiting(now)) return;
        }
        wakeup_.look_for_signals();
    }

    void renew_later(const locked& now, const error& why) {
        if (why.code == errc::conflict || why.code == errc::storage_lost)
            return core_.control.stop(now, stop_reason::lost, why.message);
        core_.jobs.submit_after(outage_.next_delay(), [this] { renew(); });
    }

    void flush() {
        is_flush_scheduled_ = false;
        if (!core_.recorded.has_pending()) return;
        const auto written = core_.recorded.flush();
        if (!written) {
            const locked now{core_.lifecycle};
            if (now->phase != run_phase::ended) outage_.block(now, written.error());
            return;
        }
        outage_.end();
        if (written->began_waits) wakeup_.look_for_signals();
        core_.around.on_events();
    }

    run_core& core_;
    outage& outage_;
    wakeup& wakeup_;
    std::atomic<bool> is_flush_scheduled_{false};
};

}  // namespace bulk
