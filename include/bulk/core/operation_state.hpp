// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/core/transition.hpp>

#include <array>
#include <cstdint>

namespace bulk {

enum class operation_state : std::uint8_t {
    pending,                ///< stored, not yet picked up by a worker
    validating,             ///< first pass: every row is parsed and checked
    running,                ///< second pass: valid rows go through the steps
    completed,              ///< every row succeeded
    completed_with_errors,  ///< every row was tried, some failed
    failed,                 ///< the operation itself could not go on
    cancelled,              ///< stopped on request
    retrying,               ///< failed rows were reset and wait for a worker
};
BOOST_DESCRIBE_ENUM(operation_state, pending, validating, running, completed, completed_with_errors,
                    failed, cancelled, retrying)

inline constexpr auto operation_transitions = [] {
    using enum operation_state;
    return std::to_array<transition<operation_state>>({
        {pending, validating},
        {pending, cancelled},
        {validating, running},
        {validating, failed},
        {validating, cancelled},
        {running, completed},
        {running, completed_with_errors},
        {running, failed},
        {running, cancelled},
        {completed_with_errors, retrying},
        {failed, retrying},     // with rows left
        {cancelled, retrying},  // with rows left
        {retrying, running},
        {retrying, failed},
        {retrying, cancelled},
    });
}();

[[nodiscard]] constexpr bool allows(operation_state from, operation_state to) {
    return allows(operation_transitions, from, to);
}

/// Whether the operation is at rest: nothing happens to it any more unless somebody retries it.
[[nodiscard]] constexpr bool is_final(operation_state state) {
    return ends_in(operation_transitions, state, operation_state::retrying);
}

static_assert(is_final(operation_state::completed) && is_final(operation_state::failed));
static_assert(is_final(operation_state::completed_with_errors));
static_assert(is_final(operation_state::cancelled) && !is_final(operation_state::retrying));
static_assert(!allows(operation_state::completed, operation_state::retrying));

}  // namespace bulk
