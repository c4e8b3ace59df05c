// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace bulk {

/// What somebody wants to hear of an operation. Can be joined with `|`.
enum class trigger : std::uint8_t {
    none = 0,
    on_completion = 1,  ///< every row succeeded
    on_failure = 2,
    on_completion_with_errors = 4,
    on_cancelled = 8,
    on_status_change = 16,
    on_end = 15,  ///< any of the first four
    all = 31,
};

[[nodiscard]] constexpr trigger operator|(trigger a, trigger b) {
    return static_cast<trigger>(std::to_underlying(a) | std::to_underlying(b));
}

[[nodiscard]] constexpr bool includes(trigger wanted, trigger happened) {
    return (std::to_underlying(wanted) & std::to_underlying(happened)) != 0;
}

/// Somebody who is told, and by which way.
struct recipient {
    std::string channel{};  ///< its name, in any case
    std::string target{};   ///< what the channel needs: an address, say
    trigger when = trigger::on_failure;

    bool operator==(const recipient&) const = default;
};

}  // namespace bulk
