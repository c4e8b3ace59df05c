// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace bulk {

/// What a caller can act on. A new code needs a caller that treats it differently; otherwise the
/// message is enough.
enum class errc : std::uint8_t {
    invalid_argument,    ///< the request or a setting is wrong: change it
    invalid_row,         ///< the input is wrong: fix the file
    step_failed,         ///< a step of the user said no: look at the row
    illegal_transition,  ///< the state machine has no such arrow
    not_found,           ///< no operation, row or signal has that key
    conflict,            ///< someone else changed the record first: reload
    unavailable,         ///< the backend did not answer: try again
    timed_out,           ///< what was waited for did not come in time
    storage_lost,        ///< the storage was deleted or replaced: stop
    damaged,             ///< stored data does not match its checksum: restore a backup
};
BOOST_DESCRIBE_ENUM(errc, invalid_argument, invalid_row, step_failed, illegal_transition, not_found,
                    conflict, unavailable, timed_out, storage_lost, damaged)

struct error {
    errc code{};
    std::string message{};  ///< for people; never parsed

    bool operator==(const error&) const = default;
};

/// A value, or the reason why there is none. `result<>` is success without a value.
template <typename T = void>
using result = std::expected<T, error>;

[[nodiscard]] inline std::unexpected<error> fail(errc code, std::string message) {
    return std::unexpected{error{code, std::move(message)}};
}

/// What a step or validator says when it has nothing to add but the reason.
[[nodiscard]] inline std::unexpected<error> fail(std::string message) {
    return fail(errc::step_failed, std::move(message));
}

}  // namespace bulk
