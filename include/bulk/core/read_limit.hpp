// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace bulk {

/// When a read of a storage has to stop: its time is up, or nobody waits for the result any more. Unset
/// members do not limit.
struct read_limit {
    using clock = std::chrono::steady_clock;

    std::stop_token cancelled{};
    std::optional<clock::time_point> deadline{};
    std::function<clock::time_point()> now{};  ///< unset: the steady clock

    /// Why to stop, once there is a reason. A limit that was reached stays reached.
    [[nodiscard]] std::optional<error> reached() const {
        if (cancelled.stop_requested())
            return error{errc::unavailable, "the query was stopped: its client disconnected"};
        if (deadline && (now ? now() : clock::now()) >= *deadline)
            return error{errc::timed_out, "the query was stopped: it exceeded its time limit"};
        return std::nullopt;
    }
};

/// Limits every read that this thread makes while the scope lives, in whatever storage: a request may
/// need several reads, through functions that know nothing of requests. Without a scope reads are not
/// limited, and writes never are. A backend asks `current()` when a read begins and as it goes on
/// (SQLite's progress handler, a loop over records, the wait for a database server), and returns
/// the error of `reached()`; a read that was stopped has changed nothing.
class read_scope {
public:
    explicit read_scope(const read_limit& limit) : before_{std::exchange(current_, &limit)} {}
    read_scope(const read_scope&) = delete;
    read_scope& operator=(const read_scope&) = delete;
    ~read_scope() { current_ = before_; }

    /// The limit of this thread's reads, or null.
    [[nodiscard]] static const read_limit* current() { return current_; }

    [[nodiscard]] static std::optional<error> reached() {
        return current_ == nullptr ? std::nullopt : current_->reached();
    }

private:
    static inline thread_local const read_limit* current_ = nullptr;

    const read_limit* before_;
};

/// For loops over records: asks once in 256 times, since a look at the clock costs more than a record.
class read_pulse {
public:
    /// Whether the loop is to end; the caller's caller then finds the reason in `read_scope::reached`.
    [[nodiscard]] bool is_over() {
        if (limit_ == nullptr || (++count_ & 0xff) != 0) return is_over_;
        is_over_ = is_over_ || limit_->reached().has_value();
        return is_over_;
    }

private:
    const read_limit* limit_ = read_scope::current();
    std::uint32_t count_ = 0;
    bool is_over_ = false;
};

}  // namespace bulk
