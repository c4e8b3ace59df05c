// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>

#include <algorithm>
#include <chrono>

namespace bulk {

/// A clock as if it had never been set back, which a second one tells that nobody sets. What was to
/// be done in a second is then done in a second, not in an hour and a second. A clock that was set
/// forward, or a machine that slept, is believed: then deadlines have passed.
class clock_steps {
public:
    using steady = std::chrono::steady_clock::time_point;

    clock_steps(timestamp now, steady by) : now_{now}, by_{by} {}

    /// Less than `tolerance` is no step: by that much clocks differ anyway.
    [[nodiscard]] timestamp steady_now(timestamp now, steady by) {
        const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(by - by_);
        const auto back = passed - (now - now_);
        if (back <= std::chrono::microseconds{0} || back >= tolerance) {  // else it adds up
            now_ = now;
            by_ = by;
            set_back_ += std::max(back, std::chrono::microseconds{0});
        }
        return now + set_back_;
    }

private:
    static constexpr std::chrono::milliseconds tolerance{100};

    timestamp now_;
    steady by_;
    std::chrono::microseconds set_back_{};  ///< in all
};

}  // namespace bulk
