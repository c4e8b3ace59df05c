// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace bulk {

/// Why a signal does not find a waiting row any more. Stored as numbers: SQLite files have them.
enum class wait_end : std::uint8_t {
    none,       ///< the row can be found
    given,      ///< it has a signal already
    closed,     ///< its time is over, and its owner ends the wait
    long_over,  ///< its time was over for a while when a signal came
};

/// A record of one row that waits for a signal key, or did.
struct row_wait {
    step_index step{};
    row_state state = row_state::waiting_for_completion;  ///< or completed
    wait_end end = wait_end::none;
    std::optional<timestamp> until{};
};

/// Whether a record waits for a signal.
[[nodiscard]] inline bool awaits_signal(const row_record& record) {
    return record.state == row_state::waiting_for_completion && !record.signal_key.empty();
}

[[nodiscard]] inline bool is_over(std::optional<timestamp> until, timestamp now) {
    return until && *until <= now;
}

/// The clocks of machines that send signals are assumed to differ by no more than this.
inline constexpr std::chrono::minutes clock_difference{1};

/// Whether a wait is over by every clock, so that no later signal needs to look at it.
[[nodiscard]] inline bool is_long_over(std::optional<timestamp> until, timestamp now) {
    return is_over(until, now - clock_difference);
}

/// Whether a record goes on with the wait of the record that it replaces, so that the signal given to
/// it is kept. A coroutine that waits a second time has another journal.
template <typename Wait>
[[nodiscard]] bool continues(const Wait& before, const row_record& record) {
    return awaits_signal(record) && before.signal_key() == record.signal_key &&
           before.journal() == record.journal && before.retry_attempt() == record.retry_attempt;
}

}  // namespace bulk
