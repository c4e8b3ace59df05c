// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace bulk {

/// What becomes of rows that were running or waiting when their process died.
enum class orphan_policy : std::uint8_t {
    resume,  ///< they go on where they were
    fail,    ///< they are failed, for those whose steps must never run twice
};
BOOST_DESCRIBE_ENUM(orphan_policy, resume, fail)

/// Where a service runs its operations.
enum class scheduling : std::uint8_t {
    channels,   ///< on threads of its own
    immediate,  ///< in the thread that creates them, which waits: for tests and small programs
    none,       ///< nowhere: another process does, this one only takes them in
};
BOOST_DESCRIBE_ENUM(scheduling, channels, immediate, none)

/// What becomes of operations that were begun by a program with other steps.
enum class changed_steps : std::uint8_t {
    refuse,   ///< they stay as they are for a program that has their steps
    by_name,  ///< rows go on behind the last step that they have done, wherever it stands now
};
BOOST_DESCRIBE_ENUM(changed_steps, refuse, by_name)

/// How a service runs its operations.
struct service_options {
    std::int64_t max_file_size = 104'857'600;         ///< bytes; 0 is unlimited
    std::int64_t max_unpacked_size = 10'737'418'240;  ///< of a gzip or zstd file; 0 is unlimited
    int max_unpack_ratio = 250;  ///< bytes for each packed one, behind 100 MiB; 0 is unlimited
    int max_dry_runs = 4;        ///< at once; others wait for their turn
    std::chrono::milliseconds dry_run_wait{10'000};  ///< for a turn, then `errc::timed_out`
    bool include_row_data_in_errors = false;
    int flush_batch_size = 100;                       ///< rows recorded in one transaction
    std::chrono::milliseconds flush_interval{1'000};  ///< or this long after the first of them
    int max_row_concurrency = 1;                      ///< rows of one operation in steps at once
    orphan_policy orphans = orphan_policy::resume;
    changed_steps on_changed_steps = changed_steps::refuse;
    std::string service_name{};   ///< the operations' `source`; empty: the program's name
    int max_retry_attempts = 10;  ///< operation retries; 0 is unlimited
    int max_crashes = 3;          ///< of the process at one row, which fails then; 0 is unlimited
    int worker_count = 4;         ///< so many begin at once; those that wait longer take turns
    int queue_capacity = 1'000;   ///< operations waiting in memory; whoever adds one more waits
    std::chrono::milliseconds shutdown_timeout{30'000};                   ///< for rows in flight
    std::optional<std::chrono::milliseconds> pending_poll_interval{};     ///< look for others' work
    std::chrono::milliseconds early_signal_ttl = std::chrono::hours{24};  ///< until a row waits
    std::chrono::milliseconds lease_time{30'000};  ///< without a heartbeat, then others take over
    scheduling scheduler = scheduling::channels;
    std::chrono::milliseconds unused_upload_age =
        std::chrono::hours{24};  ///< uploads of no operation are removed at start; 0 is never
};

[[nodiscard]] inline result<> validate(const service_options& options) {
    using namespace setting_rules;
    return first_failure({
        at_least<std::int64_t>("max_file_size", options.max_file_size, 0),
        at_least<std::int64_t>("max_unpacked_size", options.max_unpacked_size, 0),
        at_least("max_unpack_ratio", options.max_unpack_ratio, 0),
        at_least("max_dry_runs", options.max_dry_runs, 1),
        not_negative("dry_run_wait", options.dry_run_wait),
        at_least("flush_batch_size", options.flush_batch_size, 1),
        positive("flush_interval", options.flush_interval),
        at_least("max_row_concurrency", options.max_row_concurrency, 1),
        at_least("max_retry_attempts", options.max_retry_attempts, 0),
        at_least("max_crashes", options.max_crashes, 0),
        at_least("worker_count", options.worker_count, 1),
        at_least("queue_capacity", options.queue_capacity, 1),
        not_negative("shutdown_timeout", options.shutdown_timeout),
        options.pending_poll_interval
            ? positive("pending_poll_interval", *options.pending_poll_interval)
            : result<>{},
        positive("early_signal_ttl", options.early_signal_ttl),
        positive("lease_time", options.lease_time),
        not_negative("unused_upload_age", options.unused_upload_age),
    });
}

}  // namespace bulk
