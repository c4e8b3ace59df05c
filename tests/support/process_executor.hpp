// Several processes in one thread: each has its own jobs and a clock that may be wrong, all have the
// same time, which moves only when nobody has anything to do now.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>

#include <support/job_pool.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

namespace support {

class process_executor final : public bulk::executor {
public:
    process_executor(const bulk::manual_clock& time, std::uint64_t seed)
        : time_{time}, random_{seed} {}

    void submit(bulk::job job) override {
        if (!is_dead_) jobs_.add(std::move(job));
    }
    void submit_at(bulk::timestamp deadline, bulk::job job) override {
        if (!is_dead_) jobs_.add_at(deadline - skew_, std::move(job));
    }
    [[nodiscard]] bulk::timestamp now() const override { return time_.now() + skew_; }
    [[nodiscard]] bulk::timestamp steady_now() const override { return time_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return 1; }
    [[nodiscard]] std::uint64_t random() override { return random_(); }

    /// How far the clock is ahead of the time. What is to be done later is as far away as before.
    void set_skew(std::chrono::microseconds skew) { skew_ = skew; }

    [[nodiscard]] bool is_ready() { return jobs_.is_ready(time_.now()); }
    [[nodiscard]] std::optional<bulk::timestamp> next_deadline() const {
        return jobs_.next_deadline();
    }
    /// Runs one of the jobs that are ready.
    void step() { jobs_.run_one(random_); }

    /// Nothing of the process happens any more. What is on the stack comes to its end, unheard.
    void die() { is_dead_ = true; }
    void drop_all() { jobs_.drop_all(); }

private:
    const bulk::manual_clock& time_;
    std::mt19937_64 random_;
    std::chrono::microseconds skew_{};
    bool is_dead_ = false;
    job_pool jobs_;
};

}  // namespace support
