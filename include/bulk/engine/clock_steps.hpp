// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>

#include <chrono>

#if defined(__linux__)
#include <time.h>
#endif

namespace bulk {

/// Time that passes, by a clock that nobody sets, and that goes on while the machine sleeps where the
/// system has such a one.
[[nodiscard]] inline std::chrono::steady_clock::time_point passing_time() {
#if defined(__linux__)
    timespec now{};
    if (::clock_gettime(CLOCK_BOOTTIME, &now) == 0)
        return std::chrono::steady_clock::time_point{std::chrono::seconds{now.tv_sec} +
                                                     std::chrono::nanoseconds{now.tv_nsec}};
#endif
    return std::chrono::steady_clock::now();
}

/// A clock as if nobody had set it since the start, back or forward: what was to be done in a second is
/// done in a second, neither at once nor in an hour.
class clock_steps {
public:
    using steady = std::chrono::steady_clock::time_point;

    clock_steps(timestamp now, steady by) : began_{now}, by_{by} {}

    [[nodiscard]] timestamp steady_now(steady by) const {
        return began_ + std::chrono::duration_cast<std::chrono::microseconds>(by - by_);
    }

private:
    timestamp began_;
    steady by_;
};

/// By how much the clock was set forward lately. Leases are points in time: such a step ends them though
/// their owners live, who need a moment to renew them.
class clock_doubt {
public:
    clock_doubt(timestamp now, timestamp steady) : ahead_{now - steady} {}

    /// Within the last `time`, as far as it was noticed.
    [[nodiscard]] std::chrono::microseconds look(timestamp now, timestamp steady,
                                                 std::chrono::milliseconds time) {
        if (steady >= until_) doubt_ = {};
        const auto forward = (now - steady) - ahead_;
        ahead_ = now - steady;
        if (forward >= smallest) {
            doubt_ += forward;
            until_ = steady + time;
        }
        return doubt_;
    }

private:
    static constexpr std::chrono::milliseconds smallest{100};  ///< by less clocks differ anyway

    std::chrono::microseconds ahead_;
    std::chrono::microseconds doubt_{};
    timestamp until_{};
};

}  // namespace bulk
