// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/run/owned_operation.hpp>
#include <bulk/run/recorder.hpp>
#include <bulk/run/run_control.hpp>
#include <bulk/run/run_environment.hpp>
#include <bulk/run/run_jobs.hpp>
#include <bulk/run/run_lifecycle.hpp>
#include <bulk/run/task_board.hpp>
#include <bulk/storage/lease.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// What the parts of a run share.
struct run_core {
    run_core(run_control& control, run_environment given, claimed_operation claimed,
             const operation_description& description)
        : control{control},
          description{description},
          around{std::move(given)},
          operation{around.storage, std::move(claimed)},
          recorded{around.storage,   around.jobs,  around.watch,
                   operation.held(), batch_size(), concurrency()},
          jobs{around.jobs, lifecycle, control} {}

    [[nodiscard]] operation_id id() const { return operation.held().operation; }

    /// How many rows may be in steps at once.
    [[nodiscard]] std::size_t concurrency() const {
        return static_cast<std::size_t>(around.options.max_row_concurrency);
    }
    [[nodiscard]] std::uint64_t batch_size() const {
        return static_cast<std::uint64_t>(around.options.flush_batch_size);
    }

    /// By how much the clock was set back since this process began; negative if it was set forward.
    [[nodiscard]] std::chrono::microseconds clock_set_back() const {
        return around.jobs.steady_now() - around.jobs.now();
    }

    /// Writes what the tasks have recorded so far.
    [[nodiscard]] result<> write() {
        const auto written = recorded.flush();
        if (!written) return std::unexpected{written.error()};
        if (written->began_waits) control.look_for_signals();
        return {};
    }

    void log(log_level level, std::string_view event,
             std::vector<std::pair<std::string_view, std::string>> fields) const {
        fields.insert(fields.begin(), {"operation", to_text(id())});
        around.watch.log(level, event, std::move(fields));
    }

    run_control& control;
    const operation_description& description;
    run_environment around;
    owned_operation operation;
    recorder recorded;
    run_lifecycle lifecycle;
    task_board board;
    run_jobs jobs;
};

}  // namespace bulk
