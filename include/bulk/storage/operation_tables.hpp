// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/row_tables.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// An operation as the other tables of a storage know it.
struct operation_key {
    operation_id id{};
    std::int64_t number = 0;  ///< the backend's, if it has one
    step_index last_step =
        validation_step;  ///< no later step has records; for backends that need it
};

/// Who owns an operation. The time is none if no worker has claimed it since the last one gave it back.
struct stored_lease {
    operation_key key{};
    std::uint64_t fence = 0;
    std::optional<timestamp> until{};
    std::optional<error> damage{};  ///< the error of a checksum that does not match
};

/// An operation as a storage has it. `damage` says that the record is not what was written.
struct stored_operation {
    operation_key key{};
    operation_record record{};
    std::uint64_t fence = 0;
    std::optional<timestamp> lease_until{};
    std::optional<error> damage{};
};

/// What decides whether an operation can be claimed.
struct claim_candidate {
    operation_id id{};
    std::string_view name{};
    operation_state state{};
    bool paused = false;
    bool cancel_requested = false;
    bool is_intact = true;
    std::optional<timestamp> lease_until{};
};

[[nodiscard]] inline claim_candidate candidate_of(const stored_operation& stored) {
    const auto& record = stored.record;
    return {.id = stored.key.id,
            .name = record.name,
            .state = record.state,
            .paused = record.paused,
            .cancel_requested = record.cancel_requested,
            .is_intact = !stored.damage,
            .lease_until = stored.lease_until};
}

/// A pointer to a stored operation, or an optional.
template <typename Found>
concept found_operation = requires(const Found& found) {
    static_cast<bool>(found);
    { *found } -> std::convertible_to<const stored_operation&>;
};

/// What a backend has to keep for operations, within one transaction. What it means is written once, in
/// operation_ledger.hpp, which is all that calls it; here everything is plain reading and writing. A
/// backend that fails in between undoes the whole transaction.
template <typename Tables>
concept operation_tables = requires(
    Tables& tables, const operation_key& key, const operation_record& record, operation_id id,
    const std::string& text, const operation_query& query,
    const std::optional<operation_order>& after, bool (*wants)(const claim_candidate&),
    std::optional<timestamp> until, timestamp now, std::uint64_t number,
    const row_counters& counted, step_index step, const std::vector<event>& events,
    std::uint32_t limit, row_number row, const crashed_row& crash, const worker_record& worker,
    worker_id worker_name, std::size_t most) {
    // --- operations; what is found is valid until something of it is written -------------------
    { tables.find_operation(id) } -> found_operation;
    /// With that idempotency key; names match in any case.
    { tables.find_first(text, text) } -> found_operation;
    /// The oldest that `wants` accepts of those that have not ended, and that nobody has leased for longer
    /// than until then; of the same age by id. Others that `is_claimable` refuses may be left out.
    { tables.find_open(now, wants) } -> found_operation;
    /// In the order of a valid query, behind a position, at most `query.page_size`; the total if the query
    /// asks for it. The ledger reads and writes the cursors.
    { tables.find_operations(query, after) } -> std::same_as<page<operation_record>>;
    /// A new one, that nobody owns.
    tables.insert_operation(record);
    tables.save_operation(key, record);
    /// With everything of it: rows, signals, earlier failures, crashes and events.
    tables.remove_operation(key);
    tables.set_lease(key, until);
    tables.set_owner(key, number /* fence */, now /* until */, text);
    /// Adds to the counters, of which the version is one, and notes the last step with records.
    tables.add_counts(key, counted, step);
    /// The tables of its rows.
    { tables.rows_of(key) } -> row_tables;

    // --- rows that crashed a process, by operation and row --------------------------------------
    /// Releases what dead processes of this machine own; the rows that they were processing.
    { tables.release_dead() } -> std::same_as<std::vector<row_in_flight>>;
    /// Rows of an operation that threads of this process have. None for a backend whose
    /// `release_dead` finds them.
    { tables.rows_in_flight(id) } -> std::same_as<std::vector<row_in_flight>>;
    { tables.find_crash(key, row) } -> std::same_as<std::optional<crashed_row>>;
    tables.put_crash(key, crash);
    { tables.crashes(key) } -> std::same_as<std::vector<crashed_row>>;
    tables.forget_crashes(key);

    // --- events, in the order in which they were appended ---------------------------------------
    tables.append(events);
    /// Of one operation or of all; the oldest behind a number, or the newest. Oldest first.
    {
        tables.find_events(std::optional{id}, std::optional{number}, limit)
    } -> std::same_as<std::vector<event>>;
    { tables.event_position(text) } -> std::same_as<std::optional<std::uint64_t>>;
    /// The greater of this and the stored position.
    tables.raise_event_position(text, number);

    // --- workers, by id -------------------------------------------------------------------------
    tables.put_worker(worker);
    tables.remove_worker(worker_name);
    /// Those that were seen before.
    tables.forget_workers(now);
    /// In any order; of more those that were seen last.
    { tables.find_workers(most) } -> std::same_as<std::vector<worker_record>>;
};

/// The key of an operation. A backend may have a `find_key` that reads less than the whole record.
template <typename Tables>
[[nodiscard]] std::optional<operation_key> key_in(Tables& tables, operation_id id) {
    if constexpr (requires { tables.find_key(id); }) {
        return tables.find_key(id);
    } else {
        const auto found = tables.find_operation(id);
        return found ? std::optional{found->key} : std::nullopt;
    }
}

/// Who owns an operation. A backend may have a `find_lease` that reads less than the whole record.
template <typename Tables>
[[nodiscard]] std::optional<stored_lease> lease_in(Tables& tables, operation_id id) {
    if constexpr (requires { tables.find_lease(id); }) {
        return tables.find_lease(id);
    } else {
        const auto found = tables.find_operation(id);
        if (!found) return std::nullopt;
        return stored_lease{.key = found->key,
                            .fence = found->fence,
                            .until = found->lease_until,
                            .damage = found->damage};
    }
}

}  // namespace bulk
