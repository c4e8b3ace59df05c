// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace bulk::http {

/// Lets so many coroutines call the application at once; the others wait, without a thread. So answers
/// are given right where bytes are moved, and there are threads left to move bytes all the same,
/// without waking another thread for each request and being woken by it.
class answer_gate {
public:
    explicit answer_gate(int places) : free_{places} {}

    /// Held while the application is called.
    class place {
    public:
        explicit place(answer_gate& gate) : gate_{&gate} {}
        place(place&& other) noexcept : gate_{std::exchange(other.gate_, nullptr)} {}
        place& operator=(place&&) = delete;
        ~place() { leave(); }
        void leave() {
            if (auto* const left = std::exchange(gate_, nullptr)) left->pass_on();
        }

    private:
        answer_gate* gate_;
    };

    [[nodiscard]] awaitable<place> enter() {
        if (!try_enter()) {
            const auto bell = std::make_shared<steady_timer>(
                co_await boost::asio::this_coro::executor, steady_timer::time_point::max());
            if (!try_enter_or_wait(bell)) (void)co_await bell->async_wait(awaiting);
        }
        co_return place{*this};
    }

private:
    [[nodiscard]] bool try_enter() {
        const std::scoped_lock lock{mutex_};
        if (free_ == 0) return false;
        --free_;
        return true;
    }

    [[nodiscard]] bool try_enter_or_wait(const std::shared_ptr<steady_timer>& bell) {
        const std::scoped_lock lock{mutex_};
        if (free_ == 0) {
            waiting_.push_back(bell);
            return false;
        }
        --free_;
        return true;
    }

    void pass_on() noexcept {
        const std::scoped_lock lock{mutex_};
        if (!waiting_.empty()) {
            try {
                // On its own strand: there the wait has begun by then.
                const auto& next = waiting_.front();
                boost::asio::post(next->get_executor(), [next] { next->cancel(); });
                waiting_.pop_front();
                return;
            } catch (...) {
                ++free_;  // memory has run out: it is called by the next who leaves
                return;
            }
        }
        ++free_;
    }

    std::mutex mutex_;
    int free_;
    std::deque<std::shared_ptr<steady_timer>> waiting_;
};

}  // namespace bulk::http
