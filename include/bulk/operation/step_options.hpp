// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/core/retry.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bulk {

/// What a step can say about itself. `BULK_STEP(method, "Name", ...)` takes all but the name from
/// its attributes; a class step has one of these as `static constexpr ... options`. Attributes are
/// written in this order.
struct step_options {
    std::string_view name{};
    std::optional<int> order{};  ///< lower runs first; see docs/guide/steps.md
    int max_retries = 0;         ///< tries after the first one
    backoff_policy backoff{};    ///< the waits between them
    std::optional<std::chrono::milliseconds> poll_interval{};  ///< of a polled step; unset: 5 s
    std::optional<std::chrono::milliseconds> timeout{};        ///< unset on a signalled step: none
    bool allow_operation_retry = true;  ///< whether a row that failed here may be retried later
};

inline constexpr std::chrono::milliseconds default_poll_interval{5'000};

/// How a step comes to an end.
enum class step_kind : std::uint8_t {
    plain,      ///< when `execute` returns
    polled,     ///< when `is_complete` says so
    signalled,  ///< when somebody outside says so
};
BOOST_DESCRIBE_ENUM(step_kind, plain, polled, signalled)

/// One step as the API and the page show it.
struct step_description {
    int index = 0;
    std::string_view name{};
    step_kind kind = step_kind::plain;
    int max_retries = 0;
    backoff_policy backoff{};
    std::chrono::milliseconds poll_interval{};           ///< of a polled step
    std::optional<std::chrono::milliseconds> timeout{};  ///< of a polled or signalled step
    bool allow_operation_retry = true;
};

}  // namespace bulk
