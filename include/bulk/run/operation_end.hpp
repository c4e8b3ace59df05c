// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/run/active_run.hpp>

#include <string>

namespace bulk {

/// The last change of an operation whose run stops for good: for no reason, when all rows are done.
[[nodiscard]] inline result<> end_operation(operation_record& operation, stop_reason reason,
                                            const std::string& why, timestamp now) {
    if (reason == stop_reason::none) return complete(operation, now);
    if (reason == stop_reason::cancelled)
        return move_to(operation, operation_state::cancelled, now);
    return fail_operation(operation, why, now);
}

}  // namespace bulk
