// The jobs of an executor that runs them one at a time, in an order that a seed decides.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/engine/timer.hpp>

#include <cstddef>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace support {

class job_pool {
public:
    void add(bulk::job job) { ready_.push_back(std::move(job)); }
    void add_at(bulk::timestamp deadline, bulk::job job) { timers_.add(deadline, std::move(job)); }

    /// Whether a job can run at that time.
    [[nodiscard]] bool is_ready(bulk::timestamp now) {
        while (auto due = timers_.take_due(now)) ready_.push_back(std::move(due));
        return !ready_.empty();
    }
    [[nodiscard]] std::optional<bulk::timestamp> next_deadline() const {
        return timers_.next_deadline();
    }
    /// Runs one of the jobs that are ready.
    void run_one(std::mt19937_64& random) {
        const std::size_t at = random() % ready_.size();
        std::swap(ready_[at], ready_.back());
        bulk::job next = std::move(ready_.back());
        ready_.pop_back();
        next();
    }
    void drop_all() {
        // The destructor of a job may add jobs.
        while (!ready_.empty() || timers_.size() > 0) {
            auto ready = std::exchange(ready_, {});
            auto timers = std::exchange(timers_, {});
            ready.clear();
            timers.clear();
        }
    }

private:
    std::vector<bulk::job> ready_;
    bulk::timer_queue timers_;
};

}  // namespace support
