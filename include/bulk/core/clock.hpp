// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>

namespace bulk {

/// A moment in UTC. Microseconds: what PostgreSQL keeps, and finer than any step's start.
using timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Where the library reads the time. Nothing asks `std::chrono` directly, so that a test can hold
/// the hand of the clock. `now` may be called from any thread.
template <typename Clock>
concept clock_source = requires(const Clock& clock) {
    { clock.now() } -> std::same_as<timestamp>;
};

/// The machine's clock.
struct system_clock {
    [[nodiscard]] timestamp now() const {
        return std::chrono::time_point_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now());
    }
};
static_assert(clock_source<system_clock>);

/// A clock that moves only when told to: time-outs and back-off in tests, without waiting.
class manual_clock {
public:
    explicit manual_clock(timestamp start = timestamp{std::chrono::sys_days{
                              std::chrono::year{2026} / std::chrono::January / 1}})
        : now_{start.time_since_epoch().count()} {}

    [[nodiscard]] timestamp now() const {
        return timestamp{std::chrono::microseconds{now_.load(std::memory_order_acquire)}};
    }

    void advance(std::chrono::microseconds step) {
        now_.fetch_add(step.count(), std::memory_order_acq_rel);
    }

private:
    std::atomic<std::chrono::microseconds::rep> now_;
};
static_assert(clock_source<manual_clock>);

}  // namespace bulk
