// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>

namespace bulk {

/// Why a row failed. The first two are the file's fault and are never retried.
enum class error_type : std::uint8_t {
    parse,           ///< a cell is not what its column holds
    validation,      ///< a validator refused the row
    processing,      ///< `process` failed
    step_failure,    ///< a step failed after its last try
    timeout,         ///< not completed in time
    signal_failure,  ///< somebody outside said that it failed
};
BOOST_DESCRIBE_ENUM(error_type, parse, validation, processing, step_failure, timeout,
                    signal_failure)

[[nodiscard]] constexpr bool is_retryable(error_type type) {
    return type != error_type::parse && type != error_type::validation;
}

}  // namespace bulk
