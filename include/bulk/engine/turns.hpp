// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/engine/executor.hpp>
#include <bulk/engine/job.hpp>

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace bulk {

/// Lets so many tasks be under way at once, in the order in which they asked, whoever they belong to:
/// one with much to do and one that came later take turns, and threads are left for everything else.
/// Tasks are short, or one row that takes long. From any thread.
class turns {
public:
    turns(executor& jobs, std::size_t most) : jobs_{jobs}, most_{most} {}

    /// Runs a task of somebody when it is its turn, which it ends with `end` or `ask_next`.
    void ask(const void* who, job task) {
        {
            const std::scoped_lock lock{mutex_};
            if (taken_ >= most_) {
                waiting_.push_back({who, std::move(task)});
                return;
            }
            ++taken_;
        }
        jobs_.submit(std::move(task));
    }

    /// The same from within a task that is about to end, whose turn goes to whoever has waited longest.
    void ask_next(const void* who, job task) {
        {
            const std::scoped_lock lock{mutex_};
            if (!waiting_.empty()) {
                waiting_.push_back({who, std::move(task)});
                task = take_first();
            }
        }
        jobs_.submit_next(std::move(task));
    }

    /// A task is about to end, and nothing of its owner follows.
    void end() {
        job next;
        {
            const std::scoped_lock lock{mutex_};
            if (waiting_.empty() || taken_ > most_) {
                --taken_;
                return;
            }
            next = take_first();
        }
        jobs_.submit_next(std::move(next));
    }

    /// What somebody has asked for ends at once when it runs, and need not wait for others any more.
    void hurry(const void* who) {
        std::vector<job> all;
        {
            const std::scoped_lock lock{mutex_};
            std::deque<asked> others;
            for (auto& each : waiting_) {
                if (each.who == who)
                    all.push_back(std::move(each.task));
                else
                    others.push_back(std::move(each));
            }
            waiting_ = std::move(others);
            taken_ += all.size();
        }
        for (auto& each : all) jobs_.submit(std::move(each));
    }

private:
    struct asked {
        const void* who;
        job task;
    };

    /// With the lock.
    [[nodiscard]] job take_first() {
        job first = std::move(waiting_.front().task);
        waiting_.pop_front();
        return first;
    }

    executor& jobs_;
    const std::size_t most_;
    std::mutex mutex_;
    std::deque<asked> waiting_;
    std::size_t taken_ = 0;
};

}  // namespace bulk
