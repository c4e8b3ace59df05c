// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/run/active_run.hpp>
#include <bulk/run/run_lifecycle.hpp>

#include <chrono>
#include <string>

namespace bulk {

/// What a part of a run requests of the run as a whole.
class run_control {
public:
    using locked = run_lifecycle::locked;

    run_control() = default;
    run_control(const run_control&) = delete;
    run_control& operator=(const run_control&) = delete;

    /// Starts tasks for what is ready.
    virtual void start_tasks(const locked& now) = 0;
    /// Ends the phase if nothing is left to do in it.
    virtual void end_if_idle(const locked& now) = 0;
    /// Begins nothing new and ends when the tasks have ended.
    virtual void stop(const locked& now, stop_reason reason, std::string why) = 0;
    /// A run that stops ends after this time at the earliest: the next one might meet the same at once.
    virtual void pause(const locked& now, std::chrono::microseconds at_least) = 0;
    /// A job has thrown, so nobody knows what it has done. Ends the run as a crash of the process would: with
    /// nothing more written. Another claim of the operation continues from what is stored.
    virtual void interrupt(const locked& now, const std::string& why) = 0;
    /// Rows wait for signals, some of which may have arrived already: a job looks.
    virtual void look_for_signals() = 0;

protected:
    ~run_control() = default;
};

}  // namespace bulk
