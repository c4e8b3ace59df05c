// SPDX-License-Identifier: MIT
#pragma once

// What the storage's own functions do: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/storage/absent_feeds.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/batch_implementation.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_port.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

static_assert(storage<any_storage>);

BULK_INLINE result<operation_record> any_storage::create(const operation_record& record,
                                                         const std::vector<event>& events) {
    return records_->create(record, events);
}

BULK_INLINE result<operation_record> any_storage::get(operation_id id) { return records_->get(id); }

BULK_INLINE result<page<operation_record>> any_storage::query(const operation_query& query) {
    return records_->query(query);
}

BULK_INLINE result<operation_record> any_storage::update(const operation_record& record,
                                                         const std::vector<event>& events) {
    return records_->update(record, events);
}

BULK_INLINE result<operation_record> any_storage::update(const lease& held,
                                                         const operation_record& record,
                                                         const std::vector<event>& events) {
    return records_->update(held, record, events);
}

BULK_INLINE result<std::optional<claimed_operation>> any_storage::claim(
    const claim_request& request) {
    return records_->claim(request);
}

BULK_INLINE result<std::optional<claimed_operation>> any_storage::claim(
    operation_id id, const claim_request& request) {
    return records_->claim(id, request);
}

BULK_INLINE result<operation_record> any_storage::renew(const lease& held, timestamp now,
                                                        std::chrono::milliseconds time) {
    return records_->renew(held, now, time);
}

BULK_INLINE result<> any_storage::release(const lease& held) { return records_->release(held); }

BULK_INLINE result<> any_storage::remove(operation_id id) { return records_->remove(id); }

BULK_INLINE result<> any_storage::record(const lease& held, const row_batch& batch) {
    return records_->record(held, batch);
}

BULK_INLINE result<page<row_record>> any_storage::query(const row_query& query) {
    return records_->query(query);
}

BULK_INLINE result<std::optional<row_record>> any_storage::get(operation_id id, row_number row,
                                                               step_index step) {
    return records_->get(id, row, step);
}

BULK_INLINE result<operation_record> any_storage::move_steps(const lease& held,
                                                             const operation_record& record,
                                                             const step_moves& to) {
    return records_->move_steps(held, record, to);
}

BULK_INLINE result<std::vector<std::optional<row_progress>>> any_storage::progress(
    operation_id id, row_number first, std::uint64_t count) {
    return records_->progress(id, first, count);
}

BULK_INLINE result<page<row_number>> any_storage::row_numbers(const row_query& query) {
    return records_->row_numbers(query);
}

BULK_INLINE result<signal_receipt> any_storage::send(const signal& sent, timestamp until) {
    return records_->send(sent, until);
}

BULK_INLINE result<std::vector<given_signal>> any_storage::signals(operation_id id,
                                                                   std::uint64_t after,
                                                                   std::uint32_t limit) {
    return records_->signals(id, after, limit);
}

BULK_INLINE result<std::optional<given_signal>> any_storage::close_wait(const lease& held,
                                                                        row_number row,
                                                                        step_index step) {
    return records_->close_wait(held, row, step);
}

BULK_INLINE result<retry_submission> any_storage::retry(const operation_record& record,
                                                        const retry_filter& filter,
                                                        const std::vector<step_index>& steps,
                                                        const std::vector<event>& events) {
    return records_->retry(record, filter, steps, events);
}

BULK_INLINE result<page<retry_entry>> any_storage::retry_history(const retry_history_query& query) {
    return records_->retry_history(query);
}

BULK_INLINE flight_recorder& any_storage::flights() { return records_->flights(); }

BULK_INLINE result<std::vector<crashed_row>> any_storage::crashes(operation_id id) {
    return records_->crashes(id);
}

BULK_INLINE result<std::vector<event>> any_storage::events(std::optional<operation_id> id,
                                                           std::optional<std::uint64_t> after,
                                                           std::uint32_t limit) {
    return records_->events(id, after, limit);
}

BULK_INLINE result<std::optional<std::uint64_t>> any_storage::event_position(
    const std::string& reader) {
    return records_->event_position(reader);
}

BULK_INLINE result<> any_storage::set_event_position(const std::string& reader,
                                                     std::uint64_t position) {
    return records_->set_event_position(reader, position);
}

BULK_INLINE result<> any_storage::save_worker(const worker_record& record) {
    return records_->save_worker(record);
}

BULK_INLINE result<> any_storage::remove_worker(worker_id id) {
    return records_->remove_worker(id);
}

BULK_INLINE result<std::vector<worker_record>> any_storage::workers() {
    return records_->workers();
}

BULK_INLINE const std::type_info* any_storage::connection_type() const {
    return records_->connection_type();
}

BULK_INLINE result<std::unique_ptr<open_transaction>> any_storage::begin(const lease& held) {
    return records_->begin(held);
}

BULK_INLINE std::unique_ptr<feed_port> any_storage::feeds() { return records_->feeds(); }

BULK_INLINE bool any_storage::is_full() const { return records_->is_full(); }

BULK_INLINE result<bool> any_storage::may_use(const std::string& file) {
    return records_->may_use(file);
}

BULK_INLINE result<stored_file> any_storage::put_file(std::string name, const byte_pull& pull,
                                                      std::uint64_t most, timestamp now,
                                                      file_origin from) {
    return files_->put_file(std::move(name), pull, most, now, std::move(from));
}

BULK_INLINE result<stored_file> any_storage::file(const std::string& id) {
    return files_->file(id);
}

BULK_INLINE result<byte_pull> any_storage::open_file(const std::string& id, std::uint64_t offset) {
    return files_->open_file(id, offset);
}

BULK_INLINE result<> any_storage::remove_file(const std::string& id) {
    return files_->remove_file(id);
}

BULK_INLINE result<std::vector<stored_file>> any_storage::files(const std::string& after,
                                                                std::uint32_t limit,
                                                                std::string_view prefix) {
    return files_->files(after, limit, prefix);
}

BULK_INLINE std::shared_ptr<const std::string> any_storage::file_memory(const std::string& id) {
    return files_->file_memory(id);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
