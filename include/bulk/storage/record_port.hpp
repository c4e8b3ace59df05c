// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
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
#include <bulk/storage/open_transaction.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/step_moves.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

namespace bulk {

class feed_port;

/// The functions of `record_store` (storage/concepts.hpp, which says what they mean) without the type of
/// the backend: one virtual call for each transaction, never one for each row.
class record_port {
public:
    record_port() = default;
    record_port(const record_port&) = delete;
    record_port& operator=(const record_port&) = delete;
    virtual ~record_port() = default;

    virtual result<operation_record> create(const operation_record& record,
                                            const std::vector<event>& events) = 0;
    virtual result<operation_record> get(operation_id id) = 0;
    virtual result<page<operation_record>> query(const operation_query& query) = 0;
    virtual result<operation_record> update(const operation_record& record,
                                            const std::vector<event>& events) = 0;
    virtual result<operation_record> update(const lease& held, const operation_record& record,
                                            const std::vector<event>& events) = 0;
    virtual result<std::optional<claimed_operation>> claim(const claim_request& request) = 0;
    virtual result<std::optional<claimed_operation>> claim(operation_id id,
                                                           const claim_request& request) = 0;
    virtual result<operation_record> renew(const lease& held, timestamp now,
                                           std::chrono::milliseconds time) = 0;
    virtual result<> release(const lease& held) = 0;
    virtual result<> remove(operation_id id) = 0;

    virtual result<> record(const lease& held, const row_batch& batch) = 0;
    virtual result<page<row_record>> query(const row_query& query) = 0;
    virtual result<std::optional<row_record>> get(operation_id id, row_number row,
                                                  step_index step) = 0;
    virtual result<operation_record> move_steps(const lease& held, const operation_record& record,
                                                const step_moves& to) = 0;
    virtual result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                      row_number first,
                                                                      std::uint64_t count) = 0;
    virtual result<page<row_number>> row_numbers(const row_query& query) = 0;

    virtual result<signal_receipt> send(const signal& sent, timestamp until) = 0;
    virtual result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                      std::uint32_t limit) = 0;
    virtual result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                           step_index step) = 0;

    virtual result<retry_submission> retry(const operation_record& record,
                                           const retry_filter& filter,
                                           const std::vector<step_index>& steps,
                                           const std::vector<event>& events) = 0;
    virtual result<page<retry_entry>> retry_history(const retry_history_query& query) = 0;

    virtual flight_recorder& flights() = 0;
    virtual result<std::vector<crashed_row>> crashes(operation_id id) = 0;

    virtual result<std::vector<event>> events(std::optional<operation_id> id,
                                              std::optional<std::uint64_t> after,
                                              std::uint32_t limit) = 0;
    virtual result<std::optional<std::uint64_t>> event_position(const std::string& reader) = 0;
    virtual result<> set_event_position(const std::string& reader, std::uint64_t position) = 0;

    virtual result<> save_worker(const worker_record& record) = 0;
    virtual result<> remove_worker(worker_id id) = 0;
    virtual result<std::vector<worker_record>> workers() = 0;

    // --- what not every backend has ------------------------------------------------------------------

    /// The type of the connection that a step can write through; null: the backend has none.
    [[nodiscard]] virtual const std::type_info* connection_type() const = 0;
    /// Only with a `connection_type`.
    virtual result<std::unique_ptr<open_transaction>> begin(const lease& held) = 0;
    /// Runs of feeds; those of a backend that keeps none fail every call.
    [[nodiscard]] virtual std::unique_ptr<feed_port> feeds() = 0;
    /// Whether a change fails because the disk is full.
    [[nodiscard]] virtual bool is_full() const = 0;
    /// Whether a record that cannot be read may refer to this upload.
    virtual result<bool> may_use(const std::string& file) = 0;
};

}  // namespace bulk
