// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>

#include <algorithm>
#include <cstdint>

namespace bulk {

// What a storage checks and merges before it changes the record of an operation.

[[nodiscard]] inline std::unexpected<error> operation_not_found(operation_id id) {
    return fail(errc::not_found, concat("there is no operation ", to_text(id)));
}

[[nodiscard]] inline std::unexpected<error> operation_exists(operation_id id) {
    return fail(errc::conflict, concat("operation ", to_text(id), " exists already"));
}

/// Whether an update is based on the stored record, and not on an older one.
[[nodiscard]] inline result<> check_version(const operation_record& stored,
                                            const operation_record& update) {
    if (stored.version == update.version) return {};
    return fail(errc::conflict,
                concat("operation ", to_text(stored.id), " was changed by somebody else"));
}

/// What its owner stores: the counters and the requests of others (pause, cancel) stay as stored.
[[nodiscard]] inline operation_record owner_update(const operation_record& stored,
                                                   operation_record update) {
    const auto total = update.rows.total;
    update.rows = stored.rows;
    update.rows.total = total;
    update.paused = stored.paused;
    update.cancel_requested = stored.cancel_requested;
    return update;
}

/// What a retry stores: rows that were reset are not counted as processed or failed any more.
[[nodiscard]] inline operation_record retry_update(const operation_record& stored,
                                                   operation_record update,
                                                   std::uint64_t reset_rows) {
    update.rows = stored.rows;
    update.rows.processed -= std::min(reset_rows, update.rows.processed);
    update.rows.failed -= std::min(reset_rows, update.rows.failed);
    return update;
}

/// Whether an operation has ended, so that it can be deleted.
[[nodiscard]] inline result<> check_removable(const operation_record& stored) {
    if (is_final(stored.state)) return {};
    return fail(errc::illegal_transition,
                concat("operation ", to_text(stored.id), " is ", name_of(stored.state),
                       ": cancel it, or wait until it has ended, to remove it"));
}

/// Whether rows of an operation can wait for a signal: it has not ended.
[[nodiscard]] inline result<> check_signallable(const operation_record& stored) {
    if (!is_final(stored.state)) return {};
    return fail(errc::illegal_transition,
                concat("operation ", to_text(stored.id), " is ", name_of(stored.state),
                       ": none of its rows waits for a signal"));
}

}  // namespace bulk
