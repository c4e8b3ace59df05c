// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bulk::http {

/// How fast the other side sends or takes the bytes of a stream, measured while it is waited for: a
/// program that takes its time makes nobody slow. Told on a strand, asked from any thread.
class stream_pace {
public:
    using clock = std::chrono::steady_clock;

    void begin() {
        waited_ = 0;
        moved_ = 0;
        since_ = 0;
    }
    void begin_wait(clock::time_point now) { since_ = number(now); }
    void end_wait(clock::time_point now) {
        if (const auto since = since_.exchange(0); since != 0) waited_ += number(now) - since;
    }
    void moved(std::size_t bytes) { moved_ += bytes; }

    /// How long the other side has been waited for, the present wait included.
    [[nodiscard]] clock::duration waited(clock::time_point now) const {
        const auto since = since_.load();
        return clock::duration{waited_ + (since == 0 ? 0 : number(now) - since)};
    }
    /// Bytes a second of that time.
    [[nodiscard]] double rate(clock::time_point now) const {
        const std::chrono::duration<double> time = waited(now);
        return time.count() <= 0 ? 1e18 : static_cast<double>(moved_.load()) / time.count();
    }

private:
    [[nodiscard]] static clock::rep number(clock::time_point when) {
        return when.time_since_epoch().count();
    }

    std::atomic<clock::rep> waited_ = 0;
    std::atomic<clock::rep> since_ = 0;  ///< 0: it is not waited for
    std::atomic<std::uint64_t> moved_ = 0;
};

}  // namespace bulk::http
