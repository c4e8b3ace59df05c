// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace bulk {

/// What can run the jobs of a service: a thread pool of yours, an event loop, a test. `submit` runs a
/// job soon, `submit_at` when its time has come by `now()`; both may be called from any thread, also
/// from within a job, and lose nothing. Jobs run at most `concurrency()` at once; each is called once
/// and throws nothing.
template <typename Scheduler>
concept scheduler = requires(Scheduler& jobs, const Scheduler& same, job job, timestamp deadline) {
    jobs.submit(std::move(job));
    jobs.submit_at(deadline, std::move(job));
    { same.now() } -> std::same_as<timestamp>;
    { same.concurrency() } -> std::convertible_to<std::size_t>;
};

/// A scheduler as the engine uses it.
template <scheduler Scheduler>
class scheduled_executor final : public executor {
public:
    explicit scheduled_executor(Scheduler& jobs) : jobs_{jobs} {}

    void submit(job job) override { jobs_.submit(std::move(job)); }
    void submit_at(timestamp deadline, job job) override {
        jobs_.submit_at(deadline, std::move(job));
    }
    [[nodiscard]] timestamp now() const override { return jobs_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return jobs_.concurrency(); }

private:
    Scheduler& jobs_;
};

/// An executor around a scheduler; null if it is one already.
template <scheduler Scheduler>
[[nodiscard]] std::unique_ptr<executor> executor_on(Scheduler& jobs) {
    if constexpr (std::derived_from<Scheduler, executor>)
        return nullptr;
    else
        return std::make_unique<scheduled_executor<Scheduler>>(jobs);
}

}  // namespace bulk
