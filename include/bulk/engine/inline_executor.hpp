// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/engine/timer.hpp>

#include <cstddef>
#include <deque>
#include <thread>
#include <utility>

namespace bulk {

/// Runs jobs in the thread that asks for it, one after the other: for tests, and for programs that
/// want nothing to happen beside them. Of one thread.
class inline_executor final : public executor {
public:
    void submit(job job) override { ready_.push_back(std::move(job)); }
    void submit_at(timestamp deadline, job job) override { timers_.add(deadline, std::move(job)); }
    [[nodiscard]] timestamp now() const override { return clock_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }

    /// Runs what there is, and sleeps for what is due later, until `done()` or nothing is left;
    /// whether it was done.
    template <typename Done>
    bool run_until(Done done) {
        while (!done()) {
            if (job due = timers_.take_due(now())) ready_.push_back(std::move(due));
            if (!ready_.empty()) {
                job next = std::move(ready_.front());
                ready_.pop_front();
                next();
            } else if (const auto deadline = timers_.next_deadline()) {
                std::this_thread::sleep_for(*deadline - now());
            } else {
                return false;
            }
        }
        return true;
    }

    /// Forgets what there is to do.
    void drop_all() {
        while (!ready_.empty() || timers_.size() > 0) {  // what goes may put in more
            std::exchange(ready_, {}).clear();
            std::exchange(timers_, {}).clear();
        }
    }

private:
    system_clock clock_;
    std::deque<job> ready_;
    timer_queue timers_;
};

}  // namespace bulk
