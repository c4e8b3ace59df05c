// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>
#include <bulk/engine/parking.hpp>
#include <bulk/engine/queue.hpp>
#include <bulk/engine/timer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace bulk {

/// Threads around a queue, and one more for the deadlines. Threads are started when there is work
/// and none is idle, up to the limit, since rows may block: a hundred of them at once need a hundred
/// threads, and none at all need none.
class thread_executor final : public executor {
public:
    explicit thread_executor(std::size_t most_threads)
        : most_threads_{std::max<std::size_t>(most_threads, 1)} {
        timer_thread_ = std::jthread{[this](const std::stop_token& stop) { keep_time(stop); }};
    }

    /// Jobs that have begun are waited for; the others are dropped. Whoever wants them done waits for
    /// that first.
    ~thread_executor() override {
        timer_thread_ = {};
        stopping_.store(true);
        parking_.close();
        std::vector<std::jthread> threads;
        {
            const std::scoped_lock lock{threads_mutex_};
            threads.swap(threads_);
        }
    }

    void submit(job job) override {
        queue_.push(std::move(job));
        if (!parking_.wake_one()) start_thread();
    }

    void submit_at(timestamp deadline, job job) override {
        {
            const std::scoped_lock lock{timer_mutex_};
            timers_.add(deadline, std::move(job));
        }
        timer_changed_.notify_one();
    }

    [[nodiscard]] timestamp now() const override { return clock_.now(); }
    [[nodiscard]] std::size_t concurrency() const override { return most_threads_; }

    /// Jobs that wait for a thread.
    [[nodiscard]] std::size_t queue_depth() const { return queue_.size(); }

private:
    void start_thread() {
        if (thread_count_.load(std::memory_order_relaxed) >= most_threads_) return;
        const std::scoped_lock lock{threads_mutex_};
        if (threads_.size() >= most_threads_ || stopping_.load()) return;
        threads_.emplace_back([this] { work(); });
        thread_count_.store(threads_.size(), std::memory_order_relaxed);
    }

    void work() {
        job next;
        while (!stopping_.load()) {
            if (next) next();
            if (!queue_.try_pop(next) && !parking_.sleep([&] { return queue_.try_pop(next); }))
                return;
        }
    }

    void keep_time(const std::stop_token& stop) {
        std::unique_lock lock{timer_mutex_};
        while (!stop.stop_requested()) {
            if (job due = timers_.take_due(now())) {
                lock.unlock();
                submit(std::move(due));
                lock.lock();
                continue;
            }
            const auto deadline = timers_.next_deadline();
            const auto has_changed = [&] { return timers_.next_deadline() != deadline; };
            if (deadline)  // in short naps: the clock may be set
                timer_changed_.wait_for(
                    lock, stop,
                    std::min<std::chrono::microseconds>(*deadline - now(), std::chrono::seconds{1}),
                    has_changed);
            else
                timer_changed_.wait(lock, stop, has_changed);
        }
    }

    system_clock clock_;
    std::size_t most_threads_;
    work_queue<job> queue_;
    parking parking_;
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> thread_count_{0};
    std::mutex threads_mutex_;
    std::vector<std::jthread> threads_;

    std::mutex timer_mutex_;
    std::condition_variable_any timer_changed_;
    timer_queue timers_;
    std::jthread timer_thread_;
};

}  // namespace bulk
