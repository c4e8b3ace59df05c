// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace bulk::http {

/// Wakes a coroutine from any thread. Whoever rings may do so after the coroutine, and the server, have
/// gone.
class doorbell {
public:
    explicit doorbell(strand where) : timer_{where}, wire_{std::make_shared<wire>(this)} {}
    doorbell(const doorbell&) = delete;
    doorbell& operator=(const doorbell&) = delete;
    ~doorbell() {
        const std::scoped_lock lock{wire_->mutex};
        wire_->bell = nullptr;
    }

    /// What is given to those who ring.
    [[nodiscard]] std::function<void()> button() const {
        return [wire = wire_] {
            const std::scoped_lock lock{wire->mutex};
            if (wire->bell == nullptr) return;
            boost::asio::post(wire->bell->timer_.get_executor(), [wire] {
                const std::scoped_lock still{wire->mutex};
                if (wire->bell != nullptr) wire->bell->ring();
            });
        };
    }

    /// On the strand.
    void ring() {
        has_rung_ = true;
        timer_.cancel();
    }

    /// Whether it rang in that time, or before.
    [[nodiscard]] awaitable<bool> wait(std::chrono::milliseconds most) {
        if (!has_rung_) {
            timer_.expires_after(most);
            (void)co_await timer_.async_wait(awaiting);
        }
        co_return std::exchange(has_rung_, false);
    }

private:
    struct wire {
        explicit wire(doorbell* at) : bell{at} {}
        std::mutex mutex;
        doorbell* bell;
    };

    steady_timer timer_;
    std::shared_ptr<wire> wire_;
    bool has_rung_ = false;
};

}  // namespace bulk::http
