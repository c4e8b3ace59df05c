// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace bulk {

/// When steps begin and end. A look at the clock costs as much as reading half a row, so as long as
/// rows take next to no time only their number is counted, and what was done between two looks is
/// said to have been done in that time. Any row that takes longer than `precision` ends that: then
/// every step is timed until rows are quick again.
class stopwatch {
public:
    static constexpr std::chrono::microseconds precision{20};

    explicit stopwatch(const executor& executor) : executor_{executor} {}

    [[nodiscard]] timestamp now() const { return executor_.now(); }

    /// Whether every step is to be timed.
    [[nodiscard]] bool is_exact() const { return quick_rows_ < enough_quick_rows; }

    /// Whether the last rows took long, so that what was counted so far ends here.
    bool end_row() {
        // Even a look at a counter is a tenth of a quick row: one for four of them will do.
        if (!is_exact() && ++unseen_rows_ % 4 != 0) return false;
        const std::uint64_t now = ticks();
        const bool was_quick = now - std::exchange(last_look_, now) < ticks_of_precision;
        if (!was_quick)
            quick_rows_ = 0;
        else if (is_exact())
            ++quick_rows_;
        return !was_quick;
    }

private:
    static constexpr int enough_quick_rows = 32;

    /// Something that grows quickly and costs little. On x86 the time stamp counter: two to five
    /// times a nanosecond.
    static std::uint64_t ticks() {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#else
        return static_cast<std::uint64_t>(
            std::chrono::steady_clock::now().time_since_epoch().count());
#endif
    }
#if defined(__x86_64__)
    static constexpr std::uint64_t ticks_of_precision = 60'000;
#else
    static constexpr std::uint64_t ticks_of_precision = 20'000;
#endif

    const executor& executor_;
    std::uint64_t last_look_ = ticks();
    std::uint32_t unseen_rows_ = 0;
    int quick_rows_ = 0;
};

}  // namespace bulk
