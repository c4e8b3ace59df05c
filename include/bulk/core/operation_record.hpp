// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/core/row_counters.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// One file on its way through one operation, as it is stored.
struct operation_record {
    operation_id id{};
    std::string name{};      ///< of the declared operation
    std::string metadata{};  ///< JSON, as it was given
    std::string created_by{};
    std::string source{};  ///< the service that took it in
    std::string idempotency_key{};
    std::vector<recipient> recipients{};  ///< who is told what becomes of it

    std::string file_id{};    ///< in the file store
    std::string file_name{};  ///< as it was given
    std::uint64_t file_size = 0;

    std::vector<std::string> steps{};  ///< the names of its table, when its first run began

    operation_state state = operation_state::pending;
    bool paused = false;            ///< nothing new is begun until somebody resumes it
    bool cancel_requested = false;  ///< its owner ends it when the rows in flight are done
    bool validated = false;         ///< every row was: `rows.total` is what the file has
    row_counters rows{};
    std::uint32_t retry_count = 0;
    std::string error_message{};

    timestamp created_at{};
    std::optional<timestamp> started_at{};      ///< for the first time
    std::optional<timestamp> run_started_at{};  ///< the last time: a retry is a run of its own
    std::optional<timestamp> completed_at{};

    std::uint64_t version = 0;  ///< grows with every stored change

    bool operator==(const operation_record&) const = default;
};

/// The only way an operation changes state. A refused move changes nothing.
[[nodiscard]] inline result<> move_to(operation_record& operation, operation_state next,
                                      timestamp now) {
    if (!allows(operation.state, next))
        return fail(errc::illegal_transition,
                    concat("operation ", to_text(operation.id), " cannot go from ",
                           name_of(operation.state), " to ", name_of(next)));
    if (next == operation_state::validating || operation.state == operation_state::retrying)
        operation.run_started_at = now;
    operation.state = next;
    if (next == operation_state::running) operation.validated = true;
    if (!operation.started_at) operation.started_at = operation.run_started_at;
    if (is_final(next)) operation.completed_at = now;
    if (next == operation_state::retrying) {
        operation.completed_at.reset();
        operation.error_message.clear();
        operation.cancel_requested = false;
        operation.paused = false;
        ++operation.retry_count;
    }
    return {};
}

/// Ends an operation that cannot go on. On one that has ended already it does nothing and
/// succeeds: whoever ended it first was right.
[[nodiscard]] inline result<> fail_operation(operation_record& operation, std::string message,
                                             timestamp now) {
    if (is_final(operation.state)) return {};
    if (auto moved = move_to(operation, operation_state::failed, now); !moved) return moved;
    operation.error_message = cut_message(std::move(message));
    return {};
}

/// Ends an operation whose rows were all tried; the counters decide how.
[[nodiscard]] inline result<> complete(operation_record& operation, timestamp now) {
    return move_to(operation, final_state(operation.rows), now);
}

}  // namespace bulk
