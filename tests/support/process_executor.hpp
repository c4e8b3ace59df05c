// Several processes in one thread: each has its own jobs and a clock that may be wrong, all have the
// same time, which moves only when nobody has anything to do now.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace support {

class process_executor final : public bulk::executor {
public:
    process_executor(const bulk::manual_clock& time, std::uint64_t seed)
        : time_{time}, random_{seed} {}

    void submit(bulk::job job) override {
        if (!is_dead_) ready_.push_back(std::move(job));
    }
    void submit_at(bulk::timestamp deadline, bulk::job job) override {
        if (!is_dead_) timers_.add(deadline - skew_, std::move(job));
    }
    [[nodiscard]] bulk::timestamp now() const override { return time_.now() + skew_; }
    [[nodiscard]] bulk::timestamp steady_now() const override { return time_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }
    [[nodiscard]] std::uint64_t random() override { return random_(); }

    /// How far the clock is ahead of the time. What is to be done later is as far away as before.
    void set_skew(std::chrono::microseconds skew) { skew_ = skew; }

    [[nodiscard]] bool is_ready() {
        while (auto due = timers_.take_due(time_.now())) ready_.push_back(std::move(due));
        return !ready_.empty();
    }
    [[nodiscard]] std::optional<bulk::timestamp> next_deadline() const {
        return timers_.next_deadline();
    }
    /// Runs one of the jobs that are ready.
    void step() {
        const std::size_t at = random_() % ready_.size();
        std::swap(ready_[at], ready_.back());
        bulk::job next = std::move(ready_.back());
        ready_.pop_back();
        next();
    }

    /// Nothing of the process happens any more. What is on the stack comes to its end, unheard.
    void die() { is_dead_ = true; }
    void drop_all() {
        // A job may hold what puts in new ones when it goes.
        while (!ready_.empty() || timers_.size() > 0) {
            auto ready = std::exchange(ready_, {});
            auto timers = std::exchange(timers_, {});
            ready.clear();
            timers.clear();
        }
    }

private:
    const bulk::manual_clock& time_;
    std::mt19937_64 random_;
    std::chrono::microseconds skew_{};
    bool is_dead_ = false;
    std::vector<bulk::job> ready_;
    bulk::timer_queue timers_;
};

}  // namespace support
