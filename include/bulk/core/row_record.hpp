// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/row_state.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// One row at one step. (operation, row, step) is unique.
struct row_record {
    operation_id operation{};
    row_number row{};
    step_index step = validation_step;

    row_state state = row_state::pending;
    std::uint32_t attempt = 0;        ///< tries of the step that began, this time round
    std::uint32_t retry_attempt = 0;  ///< how often the row was reset for an operation retry

    std::string row_id{};  ///< the row's business key, if its type has one
    std::optional<error_type> failure{};
    std::string error_message{};
    std::string signal_key{};  ///< what it waits for, or what ended its wait, as the step named it
    std::string journal{};     ///< of a step that has waited several times: what it was told so far
    std::string row_data{};    ///< the row as JSON, if the operation tracks it

    std::optional<timestamp> started_at{};
    std::optional<timestamp> completed_at{};
    std::optional<timestamp> wait_until{};  ///< when a wait ends, or a step is tried again

    bool operator==(const row_record&) const = default;
};

/// The only way a row changes state. A refused move changes nothing.
[[nodiscard]] inline result<> move_to(row_record& record, row_state next, timestamp now) {
    if (!allows(record.state, next))
        return fail(errc::illegal_transition,
                    concat("row ", to_number(record.row), ", step ", to_number(record.step),
                           " cannot go from ", name_of(record.state), " to ", name_of(next)));
    record.state = next;
    if (next == row_state::running) record.started_at = now;
    if (is_final(next)) {
        record.completed_at = now;
        record.wait_until.reset();
    }
    return {};
}

[[nodiscard]] inline result<> fail_row(row_record& record, error_type type, std::string message,
                                       timestamp now) {
    if (auto moved = move_to(record, row_state::failed, now); !moved) return moved;
    record.failure = type;
    record.error_message = cut_message(std::move(message));
    return {};
}

[[nodiscard]] inline result<> time_out(row_record& record, std::string_view step_name,
                                       timestamp now) {
    if (auto moved = move_to(record, row_state::timed_out, now); !moved) return moved;
    record.failure = error_type::timeout;
    record.error_message = concat("Step '", step_name, "' timed out waiting for completion");
    return {};
}

/// Makes a failed step wait for another try by an operation retry. What went wrong is forgotten
/// here, since the retry history has kept it; and the signal key too, so that a late signal finds
/// nobody. What is the file's fault is refused.
[[nodiscard]] inline result<> reset_for_retry(row_record& record, timestamp now) {
    if (record.failure && !is_retryable(*record.failure))
        return fail(errc::invalid_row,
                    concat("row ", to_number(record.row), " failed by ", name_of(*record.failure),
                           ": correct the file and run it again, a retry would change nothing"));
    if (auto moved = move_to(record, row_state::pending, now); !moved) return moved;
    ++record.retry_attempt;
    record.attempt = 0;
    record.failure.reset();
    record.error_message.clear();
    record.signal_key.clear();
    record.journal.clear();
    record.wait_until.reset();
    record.started_at.reset();
    record.completed_at.reset();
    return {};
}

}  // namespace bulk
