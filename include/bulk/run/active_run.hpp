// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <string>

namespace bulk {

/// Why a run ends before its rows do.
enum class stop_reason : std::uint8_t {
    none,
    cancelled,   ///< the operation ends
    paused,      ///< until it is resumed
    shutdown,    ///< the next process, or the next start, goes on
    lost,        ///< another process has it
    failed,      ///< it cannot go on
    refused,     ///< this program cannot run it
    set_aside,   ///< others have its place for a while
    unreadable,  ///< its file cannot be read at the moment
};
BOOST_DESCRIBE_ENUM(stop_reason, none, cancelled, paused, shutdown, lost, failed, refused,
                    set_aside, unreadable)

/// One operation that this process works on.
class active_run {
public:
    active_run() = default;
    active_run(const active_run&) = delete;
    active_run& operator=(const active_run&) = delete;
    virtual ~active_run() = default;

    [[nodiscard]] virtual operation_id id() const = 0;
    virtual void start() = 0;

    /// Begins nothing new, lets rows in flight finish, records them, and ends. From any thread.
    virtual void ask_to_stop(stop_reason reason) = 0;

    /// Whether all that is left to do is to wait.
    [[nodiscard]] virtual bool is_resting() const = 0;

    /// Somebody has sent a signal. From any thread.
    virtual void check_signals() = 0;

    /// Ends without waiting for steps that do not return: their rows are recorded as such, and the
    /// operation is given back. What is being done, as a sentence.
    [[nodiscard]] virtual std::string abandon() = 0;
};

}  // namespace bulk
