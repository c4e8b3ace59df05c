// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/job.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bulk {

/// Where jobs run: threads, the calling thread, or a test that picks them by a seed. Jobs are big
/// (some hundred rows, or one row that takes long), so that a virtual call is nothing.
class executor {
public:
    executor() = default;
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    virtual ~executor() = default;

    /// Runs a job soon. From any thread, also from within a job.
    virtual void submit(job job) = 0;

    /// The same, from within a job that is about to end: its thread goes on with this one, or with
    /// one that has waited longer, and no other thread is woken.
    virtual void submit_next(job job) { submit(std::move(job)); }

    /// Runs a job when its time has come.
    virtual void submit_at(timestamp deadline, job job) = 0;

    /// The time by which deadlines are measured.
    [[nodiscard]] virtual timestamp now() const = 0;
    /// The same, as if the clock had never been set, where that is known: what waits in memory
    /// is due by this one. `submit_at` takes times of `now`, and runs a job after as much time as was
    /// left then.
    [[nodiscard]] virtual timestamp steady_now() const { return now(); }

    /// How many jobs may run at once.
    [[nodiscard]] virtual std::size_t concurrency() const = 0;

    /// Random bits, for jitter and ids. A test brings its own, to play the same again.
    [[nodiscard]] virtual std::uint64_t random();
};

/// A random number in [0, 1).
[[nodiscard]] inline double random_share(executor& jobs) {
    return static_cast<double>(jobs.random() >> 11) * 0x1p-53;
}

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/engine/implementation.hpp>
#endif
