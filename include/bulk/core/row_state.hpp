// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/core/transition.hpp>

#include <array>
#include <cstdint>

namespace bulk {

/// Where one row stands at one step. Stored as a number: a new state comes last.
enum class row_state : std::uint8_t {
    pending,                 ///< the step has not begun, or was reset for a retry
    running,                 ///< the step is being executed, or waits for its next try
    waiting_for_completion,  ///< executed; polled, or waiting for a signal
    completed,               ///< the step succeeded
    failed,                  ///< out of retries, refused, or failed by a signal
    timed_out,               ///< waited for completion past its deadline
};
BOOST_DESCRIBE_ENUM(row_state, pending, running, waiting_for_completion, completed, failed,
                    timed_out)
static_assert(describes_all<row_state>(),
              "BOOST_DESCRIBE_ENUM(row_state, ...) lists all states, in their order");

inline constexpr auto row_transitions = [] {
    using enum row_state;
    return std::to_array<transition<row_state>>({
        {pending, running},
        {running, completed},
        {running, failed},
        {running, timed_out},
        {running, waiting_for_completion},
        {waiting_for_completion, completed},
        {waiting_for_completion, failed},
        {waiting_for_completion, timed_out},
        {failed, pending},     // reset for retry
        {timed_out, pending},  // reset for retry
    });
}();
static_assert(unreached(row_transitions, row_state::pending) == row_state::pending,
              "row_transitions has no arrow to a state: no row would ever be in it");

[[nodiscard]] constexpr bool allows(row_state from, row_state to) {
    return allows(row_transitions, from, to);
}

/// Whether the step is over for this row, unless it is reset for a retry.
[[nodiscard]] constexpr bool is_final(row_state state) {
    return ends_in(row_transitions, state, row_state::pending);
}

/// Whether the row has failed at the step: an error in every list and count.
[[nodiscard]] constexpr bool is_failed(row_state state) {
    switch (state) {
        case row_state::failed:
        case row_state::timed_out:
            return true;
        case row_state::pending:
        case row_state::running:
        case row_state::waiting_for_completion:
        case row_state::completed:
            return false;
    }
    return false;
}

static_assert(is_final(row_state::completed) && is_final(row_state::failed));
static_assert(is_final(row_state::timed_out) && !is_final(row_state::waiting_for_completion));

}  // namespace bulk
