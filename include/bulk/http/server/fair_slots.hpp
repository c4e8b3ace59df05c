// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/asio_types.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <string>
#include <utility>

namespace bulk::http {

/// So many at once, and only some of them for one principal. Those who wait hold no thread; principals
/// take turns, so that one who asks a thousand times waits behind itself only.
class fair_slots {
public:
    fair_slots(int most, int most_each) : most_{most}, most_each_{most_each} {}
    fair_slots(const fair_slots&) = delete;
    fair_slots& operator=(const fair_slots&) = delete;

    /// Held while it is used; gives its slot to the next when it goes.
    class place {
    public:
        place() = default;
        place(fair_slots& slots, std::string who) : slots_{&slots}, who_{std::move(who)} {}
        place(place&& other) noexcept
            : slots_{std::exchange(other.slots_, nullptr)}, who_{std::move(other.who_)} {}
        place& operator=(place&& other) noexcept {
            std::swap(slots_, other.slots_);
            std::swap(who_, other.who_);
            return *this;
        }
        ~place() {
            if (slots_ != nullptr) slots_->leave(who_);
        }
        [[nodiscard]] explicit operator bool() const { return slots_ != nullptr; }

    private:
        fair_slots* slots_ = nullptr;
        std::string who_;
    };

    /// One who waits; on the strand of its connection, but for `is_called`, which the lock guards.
    struct waiter {
        explicit waiter(strand where) : bell{where} {}
        void give_up() {
            has_given_up = true;
            bell.cancel();
        }

        steady_timer bell;
        bool has_given_up = false;
        bool is_called = false;
    };

    /// Waits for a slot; the place is empty when the deadline came first, or `waiting` gave up.
    [[nodiscard]] awaitable<place> enter(std::string who, std::shared_ptr<waiter> waiting,
                                         std::chrono::steady_clock::time_point deadline) {
        if (!try_enter_or_wait(who, waiting)) {
            if (!waiting->has_given_up) {
                waiting->bell.expires_at(deadline);
                (void)co_await waiting->bell.async_wait(awaiting);
            }
            if (!is_called_or_leaves(who, waiting)) co_return place{};
        }
        co_return place{*this, std::move(who)};
    }

    /// The same for one who calls `look` at once and after each `step`, and waits while that is true.
    template <typename Look>
    [[nodiscard]] awaitable<place> enter_while(std::string who, std::shared_ptr<waiter> waiting,
                                               std::chrono::milliseconds step, Look look) {
        if (!try_enter_or_wait(who, waiting)) {
            while (!is_called(*waiting) && look()) {
                waiting->bell.expires_after(step);
                (void)co_await waiting->bell.async_wait(awaiting);
            }
            if (!is_called_or_leaves(who, waiting)) co_return place{};
        }
        co_return place{*this, std::move(who)};
    }

    /// The same for one who does not wait.
    [[nodiscard]] place try_enter(const std::string& who) {
        const std::scoped_lock lock{mutex_};
        return take(who) ? place{*this, who} : place{};
    }

    [[nodiscard]] int running() const {
        const std::scoped_lock lock{mutex_};
        return running_;
    }
    [[nodiscard]] int waiting() const {
        const std::scoped_lock lock{mutex_};
        return waiting_;
    }

private:
    struct line {
        int running = 0;
        std::deque<std::shared_ptr<waiter>> waiting;
    };

    /// With the lock, as those below.
    [[nodiscard]] bool take(const std::string& who) {
        if (running_ >= most_) return false;
        auto& of = lines_[who];
        if (of.running >= most_each_) return false;
        ++of.running;
        ++running_;
        last_ = who;
        return true;
    }

    [[nodiscard]] bool try_enter_or_wait(const std::string& who,
                                         const std::shared_ptr<waiter>& waiting) {
        const std::scoped_lock lock{mutex_};
        if (take(who)) return true;
        lines_[who].waiting.push_back(waiting);
        ++waiting_;
        return false;
    }

    [[nodiscard]] bool is_called(const waiter& waiting) const {
        const std::scoped_lock lock{mutex_};
        return waiting.is_called;
    }

    [[nodiscard]] bool is_called_or_leaves(const std::string& who,
                                           const std::shared_ptr<waiter>& waiting) {
        const std::scoped_lock lock{mutex_};
        if (waiting->is_called) return true;
        const auto at = lines_.find(who);
        std::erase(at->second.waiting, waiting);
        --waiting_;
        forget_if_empty(at);
        return false;
    }

    void leave(const std::string& who) noexcept {
        const std::scoped_lock lock{mutex_};
        const auto at = lines_.find(who);
        --at->second.running;
        --running_;
        call_next();
        forget_if_empty(lines_.find(who));
    }

    /// Of those whose turn it can be the one behind the last.
    void call_next() noexcept {
        const auto can_go = [&](const auto& each) {
            return !each.second.waiting.empty() && each.second.running < most_each_;
        };
        const std::ranges::subrange behind{lines_.upper_bound(last_), lines_.end()};
        auto at = std::ranges::find_if(behind, can_go);
        if (at == lines_.end()) at = std::ranges::find_if(lines_, can_go);
        if (at == lines_.end() || running_ >= most_) return;
        try {
            last_ = at->first;
            // On its own strand: there the wait has begun by then.
            const auto next = at->second.waiting.front();
            boost::asio::post(next->bell.get_executor(), [next] { next->bell.cancel(); });
            next->is_called = true;
            at->second.waiting.pop_front();
            --waiting_;
            ++at->second.running;
            ++running_;
        } catch (...) {
            return;  // memory has run out: it is called by the next who leaves, or its time is up
        }
    }

    void forget_if_empty(std::map<std::string, line>::iterator at) {
        if (at != lines_.end() && at->second.running == 0 && at->second.waiting.empty())
            lines_.erase(at);
    }

    const int most_;
    const int most_each_;
    mutable std::mutex mutex_;
    std::map<std::string, line> lines_;  ///< by principal: those who run or wait
    std::string last_;                   ///< whose turn it was
    int running_ = 0;
    int waiting_ = 0;
};

}  // namespace bulk::http
