// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace bulk {

/// How long a storage that does not answer is asked again: a little later each time, until the lease
/// would have run out, since then others may have the operation.
class patience {
public:
    explicit patience(std::chrono::milliseconds lease_time) : lease_time_{lease_time} {}

    void renewed(timestamp now) { last_renewal_ = now; }
    void succeeded() { delay_ = first_delay.count(); }

    [[nodiscard]] std::chrono::milliseconds next_delay() {
        const auto delay = delay_.load();
        delay_ = std::min<std::chrono::milliseconds::rep>(2 * delay, 2'000);
        return std::chrono::milliseconds{delay};
    }

    /// Whether the storage did answer: another process has the operation, it is gone, or what is stored of it
    /// is damaged.
    [[nodiscard]] static bool is_final(const error& what) {
        return what.code == errc::conflict || what.code == errc::not_found ||
               what.code == errc::storage_lost || what.code == errc::damaged;
    }

    /// Whether to give up: the answer is final, or another process may have the operation by now.
    [[nodiscard]] bool is_at_its_end(const error& what, timestamp now) const {
        return is_final(what) || now - last_renewal_.load() > lease_time_;
    }

private:
    static constexpr std::chrono::milliseconds first_delay{50};

    std::chrono::milliseconds lease_time_;
    std::atomic<std::chrono::milliseconds::rep> delay_ = first_delay.count();
    std::atomic<timestamp> last_renewal_{};
};

}  // namespace bulk
