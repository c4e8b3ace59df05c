// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
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
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bulk {

/// What to say when the system gives no thread.
[[nodiscard]] inline error thread_refused(const std::system_error& why) {
    return {errc::unavailable,
            concat("cannot start a thread: ", why.code().message(),
                   "; raise the limit of processes and threads (ulimit -u, or the container's), or "
                   "ask for fewer")};
}

/// Threads around a queue, and one more for the deadlines. One thread is there from the beginning to the
/// end; more are started when there is work and none is idle, up to the limit, since rows may block: a
/// hundred of them at once need a hundred threads. Where the system gives no more, those that are
/// there do the work. A thread that has been idle for `idle_time` ends.
///
/// When the clock is set, jobs are run as if it had not been.
template <clock_source Clock>
class basic_thread_executor final : public executor {
public:
    /// Throws `std::system_error` where there is not even a thread for the deadlines and one for jobs.
    explicit basic_thread_executor(std::size_t most_threads,
                                   std::chrono::milliseconds idle_time = parking::forever)
        : shared_{std::make_shared<shared>(std::max<std::size_t>(most_threads, 1), idle_time)},
          timer_{[shared = shared_] { shared->keep_time(shared); }} {
        struct rollback {
            basic_thread_executor* begun;
            ~rollback() {
                if (begun != nullptr) begun->stop();
            }
        } timer{this};
        const std::scoped_lock lock{shared_->threads_mutex};
        shared_->add_thread(shared_);
        timer.begun = nullptr;
    }
    /// The same for those who want to be told.
    [[nodiscard]] static result<std::unique_ptr<basic_thread_executor>> start(
        std::size_t most_threads, std::chrono::milliseconds idle_time = parking::forever) {
        try {
            return std::make_unique<basic_thread_executor>(most_threads, idle_time);
        } catch (const std::system_error& why) {
            return std::unexpected{thread_refused(why)};
        }
    }

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
            shared_->timers.add(shared_->steady_now() + (deadline - now), std::move(job));
        }
        shared_->timer_changed.notify_one();
    }

    [[nodiscard]] timestamp now() const override { return Clock{}.now(); }
    [[nodiscard]] timestamp steady_now() const override { return shared_->steady_now(); }
    [[nodiscard]] std::size_t concurrency() const override { return shared_->most_threads; }

    /// Jobs that wait for a thread.
    [[nodiscard]] std::size_t queue_depth() const { return shared_->queue.size(); }
    /// Threads that run jobs, or wait for one.
    [[nodiscard]] std::size_t thread_count() const { return shared_->thread_count.load(); }

private:
    /// What the threads use: as long as one of them is there, so is this.
    struct shared {
        shared(std::size_t most, std::chrono::milliseconds idle)
            : most_threads{most}, idle_time{idle} {}

        const std::size_t most_threads;
        const std::chrono::milliseconds idle_time;
        work_queue<job> queue;
        parking idle;
        std::atomic<bool> is_stopping{false};
        std::atomic<std::size_t> thread_count{0};
        std::mutex threads_mutex;
        std::vector<std::thread> threads;
        std::vector<std::thread> ended;  ///< or about to: joined by the next that starts one
        std::chrono::steady_clock::time_point refused_until{};  ///< by the system; with the lock

        std::mutex timer_mutex;
        std::condition_variable timer_changed;
        timer_queue timers;  ///< by `steady_now`
        const clock_steps steps{Clock{}.now(), passing_time()};
        bool is_closed = false;  ///< the timer's own mark of the end

        [[nodiscard]] timestamp steady_now() const { return steps.steady_now(passing_time()); }

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
            // Where threads end, only the lock tells who comes first: one that ends, or its last job.
            if (idle_time == parking::forever &&
                thread_count.load(std::memory_order_relaxed) >= most_threads)
                return;
            const std::scoped_lock lock{threads_mutex};
            if (threads.size() >= most_threads || is_stopping.load()) return;
            for (auto& each : ended) each.join();
            ended.clear();
            const auto now = std::chrono::steady_clock::now();
            if (now < refused_until) return;
            try {
                add_thread(self);
            } catch (const std::exception&) {  // the threads that are there do the work
                refused_until = now + std::chrono::milliseconds{100};
            }
        }

        /// With the lock.
        void add_thread(const std::shared_ptr<shared>& self) {
            threads.emplace_back([self] { self->work(); });
            thread_count.store(threads.size(), std::memory_order_relaxed);
        }

        void work() {
            job next;
            while (!is_stopping.load()) {
                if (next) run(next);
                if (!queue.try_pop(next) &&
                    !idle.sleep([&] { return queue.try_pop(next); }, idle_time) && may_end())
                    return;
            }
        }

        /// Jobs do not throw, but memory may run out in any of them: that ends neither the thread nor the
        /// program. Whoever has submitted the job knows what follows from it.
        static void run(job& next) noexcept {
            try {
                next();
            } catch (...) {
                next = {};
            }
        }

        /// Takes this thread out of those that run jobs, unless one has come: whoever brought it while
        /// this thread was still counted started no other.
        [[nodiscard]] bool may_end() {
            const std::scoped_lock lock{threads_mutex};
            if (is_stopping.load()) return true;  // joined by who stops it
            // The last one stays: the system may give no other when there is work again.
            if (queue.size() > 0 || threads.size() == 1) return false;
            const auto own = std::ranges::find(threads, std::this_thread::get_id(),
                                               [](const auto& each) { return each.get_id(); });
            ended.push_back(std::move(*own));
            threads.erase(own);
            thread_count.store(threads.size(), std::memory_order_relaxed);
            return true;
        }

        void keep_time(const std::shared_ptr<shared>& self) {
            std::unique_lock lock{timer_mutex};
            while (!is_closed) {
                const timestamp now = steady_now();
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
                if (deadline)  // in short naps: the machine may have slept
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
            for (auto& each : shared_->ended) threads.push_back(std::move(each));
            shared_->ended.clear();
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
