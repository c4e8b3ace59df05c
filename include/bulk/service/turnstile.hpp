// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace bulk {

/// Lets a number of callers at a time do something that takes memory; others wait for their turn, four
/// times as many at most.
class turnstile {
public:
    explicit turnstile(std::size_t places) : free_{places}, most_waiting_{4 * places} {}

    /// A turn, for as long as it lives.
    class turn {
    public:
        explicit turn(turnstile& from) : from_{&from} {}
        turn(turn&& other) noexcept : from_{std::exchange(other.from_, nullptr)} {}
        turn& operator=(turn&&) = delete;
        ~turn() {
            if (from_ != nullptr) from_->leave();
        }

    private:
        turnstile* from_;
    };

    /// None when it does not come in time, or too many wait already.
    [[nodiscard]] std::optional<turn> enter(std::chrono::milliseconds patience) {
        std::unique_lock lock{mutex_};
        if (free_ == 0) {
            if (waiting_ >= most_waiting_) return std::nullopt;
            ++waiting_;
            const bool has_come = left_.wait_for(lock, patience, [this] { return free_ > 0; });
            --waiting_;
            if (!has_come) return std::nullopt;
        }
        --free_;
        return turn{*this};
    }

private:
    void leave() {
        {
            const std::scoped_lock lock{mutex_};
            ++free_;
        }
        left_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t free_;
    std::size_t waiting_ = 0;
    const std::size_t most_waiting_;
};

}  // namespace bulk
