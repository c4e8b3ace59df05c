// One thread, jobs picked by a seed, a clock that moves only when nothing is left to do now: every
// run of a seed is the same, down to the last interleaving of jobs.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace support {

class seeded_executor final : public bulk::executor {
public:
    explicit seeded_executor(std::uint64_t seed) : random_{seed} {}

    void submit(bulk::job job) override { ready_.push_back(std::move(job)); }
    void submit_at(bulk::timestamp deadline, bulk::job job) override {
        timers_.add(deadline + set_back_, std::move(job));
    }
    [[nodiscard]] bulk::timestamp now() const override { return clock_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }
    [[nodiscard]] std::uint64_t random() override { return random_(); }

    void advance(std::chrono::microseconds step) { clock_.advance(step); }

    /// Somebody sets the clock. What is to be done later is as far away as before.
    void set_back(std::chrono::microseconds step) {
        clock_.advance(-step);
        set_back_ += step;
    }
    void set_forward(std::chrono::microseconds step) { set_back(-step); }
    [[nodiscard]] bulk::timestamp steady_now() const override { return now() + set_back_; }

    /// Runs one job that is ready; moves the clock on if none is. False when there is none at all.
    bool step() {
        while (auto due = timers_.take_due(steady_now())) ready_.push_back(std::move(due));
        if (ready_.empty()) {
            const auto next = timers_.next_deadline();
            if (!next) return false;
            clock_.advance(*next - steady_now());
            return true;
        }
        const std::size_t at = random_() % ready_.size();
        std::swap(ready_[at], ready_.back());
        bulk::job next = std::move(ready_.back());
        ready_.pop_back();
        next();
        return true;
    }

    /// Everything that was going to happen does not.
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
    bulk::manual_clock clock_;
    std::chrono::microseconds set_back_{};
    std::mt19937_64 random_;
    std::vector<bulk::job> ready_;
    bulk::timer_queue timers_;
};

}  // namespace support
