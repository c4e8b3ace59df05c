// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/clock_steps.hpp>
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
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bulk {

/// Threads around a queue, and one more for the deadlines. Threads are started when there is work
/// and none is idle, up to the limit, since rows may block: a hundred of them at once need a hundred
/// threads, and none at all need none.
///
/// When the clock is set back, jobs are run as if it had not been.
template <clock_source Clock>
class basic_thread_executor final : public executor {
public:
    explicit basic_thread_executor(std::size_t most_threads)
        : shared_{std::make_shared<shared>(std::max<std::size_t>(most_threads, 1))},
          timer_{[shared = shared_] { shared->keep_time(shared); }} {}

    /// Jobs that have begun are waited for; the others are dropped. Whoever wants them done waits for
    /// that first.
    ~basic_thread_executor() override { stop(); }

    /// The same, now.
    void stop() {
        for (auto& thread : close()) {
            if (thread.get_id() == std::this_thread::get_id())
                thread.detach();  // the last job has let go of the executor itself
            else
                thread.join();
        }
    }

    /// The same without waiting: a job that never returns keeps its thread, and what it uses must
    /// outlive the executor.
    void abandon() {
        for (auto& thread : close()) thread.detach();
    }

    void submit(job job) override { shared_->submit(shared_, std::move(job)); }

    void submit_next(job job) override { shared_->put(std::move(job)); }

    void submit_at(timestamp deadline, job job) override {
        {
            const std::scoped_lock lock{shared_->timer_mutex};
            if (shared_->is_closed) return;
            const timestamp now = Clock{}.now();
            shared_->timers.add(shared_->steady(now) + (deadline - now), std::move(job));
        }
        shared_->timer_changed.notify_one();
    }

    [[nodiscard]] timestamp now() const override { return Clock{}.now(); }
    [[nodiscard]] timestamp steady_now() const override {
        const std::scoped_lock lock{shared_->timer_mutex};
        return shared_->steady(Clock{}.now());
    }
    [[nodiscard]] std::size_t concurrency() const override { return shared_->most_threads; }

    /// Jobs that wait for a thread.
    [[nodiscard]] std::size_t queue_depth() const { return shared_->queue.size(); }

private:
    /// What the threads use: as long as one of them is there, so is this.
    struct shared {
        explicit shared(std::size_t most) : most_threads{most} {}

        const std::size_t most_threads;
        work_queue<job> queue;
        parking idle;
        std::atomic<bool> is_stopping{false};
        std::atomic<std::size_t> thread_count{0};
        std::mutex threads_mutex;
        std::vector<std::thread> threads;

        std::mutex timer_mutex;
        std::condition_variable timer_changed;
        timer_queue timers;  ///< by `steady`
        clock_steps steps{Clock{}.now(), std::chrono::steady_clock::now()};
        bool is_closed = false;  ///< the timer's own mark of the end

        /// With the timer's lock.
        timestamp steady(timestamp now) {
            return steps.steady_now(now, std::chrono::steady_clock::now());
        }

        void submit(const std::shared_ptr<shared>& self, job job) {
            put(std::move(job));
            if (!idle.wake_one()) start_thread(self);
        }

        /// What comes after the end is dropped: nobody would run it, and it may hold what holds the
        /// queue.
        void put(job job) {
            if (is_stopping.load()) return;
            queue.push(std::move(job));
            if (is_stopping.load()) drop_all();  // it came just then
        }

        void drop_all() {
            job dropped;
            while (queue.try_pop(dropped)) dropped = {};
        }

        void start_thread(const std::shared_ptr<shared>& self) {
            if (thread_count.load(std::memory_order_relaxed) >= most_threads) return;
            const std::scoped_lock lock{threads_mutex};
            if (threads.size() >= most_threads || is_stopping.load()) return;
            threads.emplace_back([self] { self->work(); });
            thread_count.store(threads.size(), std::memory_order_relaxed);
        }

        void work() {
            job next;
            while (!is_stopping.load()) {
                if (next) next();
                if (!queue.try_pop(next) && !idle.sleep([&] { return queue.try_pop(next); }))
                    return;
            }
        }

        void keep_time(const std::shared_ptr<shared>& self) {
            std::unique_lock lock{timer_mutex};
            while (!is_closed) {
                const timestamp now = steady(Clock{}.now());
                if (job due = timers.take_due(now)) {
                    lock.unlock();
                    submit(self, std::move(due));
                    lock.lock();
                    continue;
                }
                const auto deadline = timers.next_deadline();
                const auto has_changed = [&] {
                    return is_closed || timers.next_deadline() != deadline;
                };
                if (deadline)  // in short naps: the clock may be set
                    timer_changed.wait_for(lock,
                                           std::min<std::chrono::microseconds>(
                                               *deadline - now, std::chrono::seconds{1}),
                                           has_changed);
                else
                    timer_changed.wait(lock, has_changed);
            }
        }
    };

    std::vector<std::thread> close() {
        {
            const std::scoped_lock lock{shared_->timer_mutex};
            shared_->is_closed = true;
            shared_->timers.clear();
        }
        shared_->timer_changed.notify_all();
        shared_->is_stopping.store(true);
        shared_->idle.close();
        std::vector<std::thread> threads;
        {
            const std::scoped_lock lock{shared_->threads_mutex};
            threads.swap(shared_->threads);
        }
        if (timer_.joinable()) timer_.join();  // it runs no job, so it ends at once
        shared_->drop_all();                   // what is left may hold what its owner wants gone
        return threads;
    }

    std::shared_ptr<shared> shared_;
    std::thread timer_;
};

using thread_executor = basic_thread_executor<system_clock>;

}  // namespace bulk
