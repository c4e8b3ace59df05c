// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/options.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/turns.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/run/active_run.hpp>
#include <bulk/run/failure_log.hpp>
#include <bulk/run/observer.hpp>
#include <bulk/storage/any_storage.hpp>

#include <functional>
#include <memory>

namespace bulk {

/// What a run works with.
struct run_environment {
    std::shared_ptr<const void> owner;  ///< of what the references below refer to
    any_storage& storage;
    executor& jobs;
    turns& row_turns;  ///< of all operations, for tasks that run user code
    const service_options& options;
    const read_options& reading;
    observer& watch;
    failure_log& failures;  ///< of the storage, for all operations
    /// Events were written, or are about to be.
    std::function<void()> on_events;
    /// The operation is in another state.
    std::function<void()> on_change;
    /// All its rows wait: others may have its place meanwhile.
    std::function<void()> on_rest;
    /// This program cannot run the operation, another may.
    std::function<void(operation_id)> on_refuse;
    /// The run has ended; nothing of it happens any more.
    std::function<void(const std::shared_ptr<active_run>&)> on_end;
};

}  // namespace bulk
