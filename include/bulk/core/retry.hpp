// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

namespace bulk {

/// How long a step waits between its tries. Doubles from two seconds to thirty unless told
/// otherwise, then adds up to half of that, so that rows which failed together do not return
/// together.
struct backoff_policy {
    std::chrono::milliseconds base{2'000};  ///< before the first retry
    double factor = 2;                      ///< how much longer before each further one
    std::chrono::milliseconds cap{30'000};  ///< never longer than this, jitter apart
    double jitter = 0.5;                    ///< at most this share on top

    bool operator==(const backoff_policy&) const = default;
};

/// Whether the numbers describe a wait at all, and one of at most a year.
[[nodiscard]] constexpr bool is_valid(const backoff_policy& wait) {
    return wait.base.count() >= 0 && wait.cap >= wait.base && wait.cap <= std::chrono::years{1} &&
           wait.factor >= 1 && wait.factor <= 1000 && wait.jitter >= 0 && wait.jitter <= 1;
}

/// The wait before retry number `retry` (1 is the second try). `random` is in [0, 1) and decides
/// the jitter. `wait` is valid. Pure, so that tests need neither clock nor seed.
[[nodiscard]] constexpr std::chrono::milliseconds delay_before(const backoff_policy& wait,
                                                               int retry, double random) {
    const auto cap = static_cast<double>(wait.cap.count());
    auto delay = static_cast<double>(wait.base.count());
    for (int i = 1; i < retry && delay < cap && delay * wait.factor > delay; ++i)
        delay *= wait.factor;
    delay = std::min(delay, cap);
    return std::chrono::milliseconds{
        static_cast<std::chrono::milliseconds::rep>(delay + delay * wait.jitter * random)};
}

static_assert(delay_before({}, 1, 0) == std::chrono::seconds{2});
static_assert(delay_before({}, 4, 0) == std::chrono::seconds{16});
static_assert(delay_before({}, 5, 0) == std::chrono::seconds{30});

}  // namespace bulk
