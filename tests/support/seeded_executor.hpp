// One thread, jobs picked by a seed, a clock that moves only when nothing is left to do now: every
// run of a seed is the same, down to the last interleaving of jobs.
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>

#include <support/job_pool.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <utility>

namespace support {

class seeded_executor final : public bulk::executor {
public:
    explicit seeded_executor(std::uint64_t seed) : random_{seed} {}

    void submit(bulk::job job) override { jobs_.add(std::move(job)); }
    void submit_at(bulk::timestamp deadline, bulk::job job) override {
        if (std::exchange(has_no_memory_, false)) throw std::bad_alloc{};
        jobs_.add_at(deadline + set_back_, std::move(job));
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

    /// The next job for later finds no memory.
    void run_out_of_memory() { has_no_memory_ = true; }

    /// Runs one job that is ready; moves the clock on if none is. False when there is none at all.
    bool step() {
        if (!jobs_.is_ready(steady_now())) {
            const auto next = jobs_.next_deadline();
            if (!next) return false;
            clock_.advance(*next - steady_now());
            return true;
        }
        jobs_.run_one(random_);
        return true;
    }

    /// Everything that was going to happen does not.
    void drop_all() { jobs_.drop_all(); }

private:
    bulk::manual_clock clock_;
    std::chrono::microseconds set_back_{};
    std::mt19937_64 random_;
    job_pool jobs_;
    bool has_no_memory_ = false;
};

}  // namespace support
