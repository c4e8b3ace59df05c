// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/step_moves.hpp>
#include <bulk/storage/stored_file.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

// What a backend can do. Every function may be called from any thread; each that changes something
// is one transaction. tests/conformance says in detail what they mean: a new rule is written there
// first. `errc::conflict` is a lost race (reload), `errc::unavailable` a backend that does not answer
// (try again); whatever fails has changed nothing. Reads stop when the limit of the calling thread
// (`read_scope`) is reached, and return its error: see core/read_limit.hpp.

/// Operations, their claims, and the events that go with their changes.
template <typename Store>
concept operation_store =
    requires(Store& store, const operation_record& record, const operation_query& query,
             const claim_request& request, const lease& held, operation_id id,
             std::vector<event> events, timestamp now, std::chrono::milliseconds time) {
        /// The stored record, or the one that has the same idempotency key and name already.
        { store.create(record, events) } -> std::same_as<result<operation_record>>;
        { store.get(id) } -> std::same_as<result<operation_record>>;
        { store.query(query) } -> std::same_as<result<page<operation_record>>>;
        /// Fails with `conflict` unless `record.version` is the stored one.
        { store.update(record, events) } -> std::same_as<result<operation_record>>;
        /// The same by its owner, who must still be it. Counters stay as they are stored.
        { store.update(held, record, events) } -> std::same_as<result<operation_record>>;
        /// The oldest that is pending, retrying, or active with a lease that ran out, if it is
        /// neither paused nor unknown to the caller.
        { store.claim(request) } -> std::same_as<result<std::optional<claimed_operation>>>;
        /// That one, if it could be claimed like this.
        { store.claim(id, request) } -> std::same_as<result<std::optional<claimed_operation>>>;
        /// Keeps a lease for some more time, and tells what others asked for meanwhile.
        { store.renew(held, now, time) } -> std::same_as<result<operation_record>>;
        /// Gives a lease back: the operation can be claimed at once.
        { store.release(held) } -> std::same_as<result<>>;
        /// Deletes one that has ended, with everything of it but its file; refused with
        /// `illegal_transition` while it has not.
        { store.remove(id) } -> std::same_as<result<>>;
    };

/// The records of rows.
template <typename Store>
concept row_store =
    requires(Store& store, const lease& held, const row_batch& batch, const row_query& query,
             const operation_record& record, const step_moves& moves, operation_id id,
             row_number row, step_index step, std::uint64_t count) {
        { store.record(held, batch) } -> std::same_as<result<>>;
        { store.query(query) } -> std::same_as<result<page<row_record>>>;
        { store.get(id, row, step) } -> std::same_as<result<std::optional<row_record>>>;
        /// The operation has another step table: its records go with their steps. Stores `record`.
        { store.move_steps(held, record, moves) } -> std::same_as<result<operation_record>>;
        /// How far `count` rows from `row` on are; none for those without a record.
        {
            store.progress(id, row, count)
        } -> std::same_as<result<std::vector<std::optional<row_progress>>>>;
        /// The numbers of the rows that have a record which matches, each once, in order.
        { store.row_numbers(query) } -> std::same_as<result<page<row_number>>>;
    };

/// Signals, and the waits that they end. A row waits from the record that says so with a key until
/// its next record; that one uses up the signal that the row was given. A completed record with a
/// key is of a row that was signalled and has gone on.
template <typename Store>
concept signal_store =
    requires(Store& store, const signal& sent, timestamp until, const lease& held, operation_id id,
             row_number row, step_index step, std::uint64_t after, std::uint32_t limit) {
        /// Gives a signal to the row that it names, or to the one that has waited longest for its
        /// key; without one it is kept until then for the next row that waits for it. Refused with
        /// `illegal_transition`: a second signal for a row, one for a row or an operation at rest.
        { store.send(sent, until) } -> std::same_as<result<signal_receipt>>;
        /// What the rows of an operation were given and did not use yet, behind `after`.
        { store.signals(id, after, limit) } -> std::same_as<result<std::vector<given_signal>>>;
        /// Ends a wait that has lasted too long: no signal comes any more, and the one that came
        /// just in time is the answer.
        { store.close_wait(held, row, step) } -> std::same_as<result<std::optional<given_signal>>>;
    };

/// Operations that have ended, begun once more for some of their rows.
template <typename Store>
concept retry_store = requires(Store& store, const operation_record& record,
                               const retry_filter& filter, const std::vector<step_index>& steps,
                               const std::vector<event>& events, const retry_history_query& query) {
    /// Resets the failed rows that match and whose step is none of `steps`, keeps how they had
    /// failed, takes them out of the counters, and stores `record`, which is retrying; all or
    /// nothing. `conflict` unless `record.version` is the stored one.
    { store.retry(record, filter, steps, events) } -> std::same_as<result<retry_submission>>;
    { store.retry_history(query) } -> std::same_as<result<page<retry_entry>>>;
};

/// Rows that a process had in its hands when it died.
template <typename Store>
concept crash_store = requires(Store& store, operation_id id) {
    /// Where this process notes what it is at; shared by all who use the store here.
    { store.flights() } -> std::same_as<flight_recorder&>;
    /// Counted when the operation was claimed from somebody who had not given it back; by row. A
    /// retry that resets rows forgets it.
    { store.crashes(id) } -> std::same_as<result<std::vector<crashed_row>>>;
};

/// What happened, in one order over all operations.
template <typename Store>
concept event_store =
    requires(Store& store, std::optional<operation_id> id, std::optional<std::uint64_t> after,
             std::uint32_t limit, const std::string& reader, std::uint64_t position) {
        /// Those behind `after`, oldest first; without it the newest, oldest first.
        { store.events(id, after, limit) } -> std::same_as<result<std::vector<event>>>;
        /// How far somebody has read, by the name that they chose.
        { store.event_position(reader) } -> std::same_as<result<std::optional<std::uint64_t>>>;
        { store.set_event_position(reader, position) } -> std::same_as<result<>>;
    };

/// Who works, as they say themselves.
template <typename Store>
concept worker_store = requires(Store& store, const worker_record& record, worker_id id) {
    /// A new one, or what there was of that id is replaced. Those of which nothing was heard in the
    /// `worker_memory` before are forgotten.
    { store.save_worker(record) } -> std::same_as<result<>>;
    /// One that there is not is removed already.
    { store.remove_worker(id) } -> std::same_as<result<>>;
    /// By name, then by start; of more than `most_workers` those that were seen last.
    { store.workers() } -> std::same_as<result<std::vector<worker_record>>>;
};

/// Uploads.
template <typename Store>
concept file_store = requires(Store& store, std::string name, byte_pull pull, std::uint64_t most,
                              timestamp now, const std::string& id, std::uint64_t offset,
                              std::uint32_t limit, std::string_view prefix, file_origin from) {
    /// Fails with `invalid_argument` when there are more than `most` bytes (0: any number).
    { store.put_file(name, pull, most, now) } -> std::same_as<result<stored_file>>;
    { store.put_file(name, pull, most, now, from) } -> std::same_as<result<stored_file>>;
    { store.file(id) } -> std::same_as<result<stored_file>>;
    { store.open_file(id, offset) } -> std::same_as<result<byte_pull>>;
    { store.remove_file(id) } -> std::same_as<result<>>;
    /// Those behind the one of that id, which may be gone (empty: from the beginning), oldest first;
    /// fewer than `limit` only at the end.
    { store.files(id, limit) } -> std::same_as<result<std::vector<stored_file>>>;
    /// The same of those whose name begins with `prefix`, which is case-sensitive.
    { store.files(id, limit, prefix) } -> std::same_as<result<std::vector<stored_file>>>;
};

/// A backend that lets a step write in the transaction that records it. Not every one can.
template <typename Store>
concept transactional_store = requires(Store& store, const lease& held, const row_batch& batch,
                                       typename Store::transaction& open) {
    /// Nobody else writes until it has ended. One that is destroyed has changed nothing.
    { store.begin(held) } -> std::same_as<result<typename Store::transaction>>;
    { open.connection() } -> std::same_as<typename Store::connection&>;
    { open.record(batch) } -> std::same_as<result<>>;
    { open.commit() } -> std::same_as<result<>>;
};

/// All records. Uploads may be elsewhere.
template <typename Store>
concept record_store =
    operation_store<Store> && row_store<Store> && signal_store<Store> && retry_store<Store> &&
    crash_store<Store> && event_store<Store> && worker_store<Store>;

template <typename Storage>
concept storage = record_store<Storage> && file_store<Storage>;

}  // namespace bulk
