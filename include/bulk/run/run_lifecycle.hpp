// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/run/active_run.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace bulk {

enum class run_phase : std::uint8_t { beginning, validating, running, ended };

/// Where a run is, and whether and why it stops. The lock of the run is here: a function that needs it takes a
/// `locked`.
class run_lifecycle {
public:
    struct guarded {
        run_phase phase = run_phase::beginning;
        std::size_t active = 0;       ///< tasks that run or are about to run
        bool is_busy = true;          ///< between the phases: one job has the run for itself
        bool is_blocked = false;      ///< no task begins until the storage answers again
        bool is_pausing = false;      ///< the run stops, but ends only after a pause
        bool is_interrupted = false;  ///< a job has thrown: nothing more is written
        bool is_damaged = false;      ///< what is stored of the operation
        stop_reason reason = stop_reason::none;
        std::string why{};
    };

    /// Holds the lock, and gives access to what it guards.
    class locked {
    public:
        explicit locked(run_lifecycle& run) : run_{run}, lock_{run.mutex_} {}
        locked(const locked&) = delete;
        locked& operator=(const locked&) = delete;
        ~locked() {
            const bool tell = std::exchange(run_.tell_steps_, false);
            lock_.unlock();
            if (tell) run_.stop_source_.request_stop();  // calls user code
        }

        [[nodiscard]] guarded* operator->() const { return &run_.now_; }

    private:
        run_lifecycle& run_;
        std::unique_lock<std::mutex> lock_;
    };

    /// Nothing new begins from now on. The first reason counts, but `lost` counts always. Returns false if the
    /// run has ended.
    bool stop(const locked& now, stop_reason reason, std::string why) {
        if (now->phase == run_phase::ended) return false;
        if (!is_stopping_ || reason == stop_reason::lost) {
            now->reason = reason;
            now->why = std::move(why);
            is_interrupting_ = reason != stop_reason::cancelled && reason != stop_reason::failed;
        }
        is_stopping_ = true;
        // Steps that run are told, unless the run continues soon or other rows have failed.
        if (reason != stop_reason::set_aside && reason != stop_reason::unreadable &&
            reason != stop_reason::failed)
            tell_steps_ = true;
        return true;
    }

    /// Ends the run, whatever its tasks do. Returns false if it has ended before.
    bool end(const locked& now) {
        return std::exchange(now->phase, run_phase::ended) != run_phase::ended;
    }
    /// The same while steps still run: their rows do not continue when they return.
    bool abandon(const locked& now) {
        is_stopping_ = true;
        return end(now);
    }

    /// A copy of everything that the lock guards.
    [[nodiscard]] guarded snapshot() { return *locked{*this}.operator->(); }

    /// Whether nothing new begins.
    [[nodiscard]] const std::atomic<bool>& is_stopping() const { return is_stopping_; }
    /// Whether it does not begin because the run continues later: what fails then has not failed.
    [[nodiscard]] bool is_interrupting() const { return is_interrupting_; }
    /// For steps.
    [[nodiscard]] std::stop_token stop_token() const { return stop_source_.get_token(); }

private:
    std::atomic<bool> is_stopping_ = false;
    std::atomic<bool> is_interrupting_ = false;
    std::stop_source stop_source_;
    std::mutex mutex_;  ///< guards what follows
    guarded now_;
    bool tell_steps_ = false;
};

}  // namespace bulk
