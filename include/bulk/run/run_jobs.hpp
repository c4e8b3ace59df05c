// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/run_control.hpp>
#include <bulk/run/run_lifecycle.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace bulk {

/// Whether the run does nothing else while a job runs (`is_busy`).
enum class running : bool { beside_others, alone };

/// The jobs of a run. A job keeps the run alive; a job for later runs only if the run still exists. A job that
/// throws interrupts the run.
class run_jobs {
public:
    run_jobs(executor& jobs, run_lifecycle& lifecycle, run_control& control)
        : jobs_{jobs}, lifecycle_{lifecycle}, control_{control} {}

    /// What the jobs keep alive. Comes before everything else.
    void belong_to(std::weak_ptr<const void> run) { run_ = std::move(run); }

    template <typename Work>
    void submit(Work work, running how = running::beside_others) {
        jobs_.submit(
            job{keeping_alive([this, work = std::move(work), how] { attempt(work, how); })});
    }
    template <typename Work>
    void submit_after(std::chrono::microseconds delay, Work work,
                      running how = running::beside_others) {
        jobs_.submit_at(jobs_.now() + delay,
                        job{if_alive([this, work = std::move(work), how] { attempt(work, how); })});
    }
    /// At a time of `steady_now`.
    template <typename Work>
    void submit_at(timestamp due, Work work) {
        submit_after(due - jobs_.steady_now(), std::move(work));
    }

    /// A call that keeps the run alive until it has been made. What it throws, it handles itself.
    template <typename Call>
    [[nodiscard]] auto keeping_alive(Call call) const {
        return [self = run_.lock(), call = std::move(call)] { call(); };
    }
    /// A call that does nothing when the run does not exist any more.
    template <typename Call>
    [[nodiscard]] auto if_alive(Call call) const {
        return [weak = run_, call = std::move(call)] {
            if (const auto self = weak.lock()) call();
        };
    }

private:
    template <typename Work>
    void attempt(const Work& work, running how) {
        try {
            work();
        } catch (...) {
            const run_lifecycle::locked now{lifecycle_};
            if (how == running::alone) now->is_busy = false;
            control_.interrupt(now, thrown_text());
        }
    }

    executor& jobs_;
    run_lifecycle& lifecycle_;
    run_control& control_;
    std::weak_ptr<const void> run_;
};

}  // namespace bulk
