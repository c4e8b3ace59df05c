// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/file_port.hpp>
#include <bulk/storage/record_port.hpp>
#include <bulk/storage/typed_records.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace bulk {

/// Any backend, chosen at run time: records in one, uploads in the same or another. A handle: copies share
/// what they hold. Everything above the backends is written against it, and so is compiled once.
class any_storage {
public:
    /// A backend that keeps records and uploads.
    template <typename Backend>
        requires(!std::derived_from<std::remove_cvref_t<Backend>, any_storage>) &&
                bulk::storage<std::remove_cvref_t<Backend>>
    any_storage(
        Backend&& backend)  // NOLINT(google-explicit-constructor): every backend is a storage
        : any_storage{
              std::make_shared<std::remove_cvref_t<Backend>>(std::forward<Backend>(backend))} {}

    /// A backend of the caller's, which outlives this and its copies: `any_storage{std::ref(mine)}`.
    template <bulk::storage Backend>
        requires(!std::derived_from<Backend, any_storage>)
    explicit any_storage(std::reference_wrapper<Backend> backend)
        : any_storage{std::shared_ptr<Backend>{std::shared_ptr<void>{}, &backend.get()}} {}

    template <std::derived_from<any_storage> Handle>
    explicit any_storage(std::reference_wrapper<Handle> handle)
        : any_storage{static_cast<const any_storage&>(handle.get())} {}

    /// Records in one backend, uploads in another.
    template <record_store Records, file_store Files>
    any_storage(Records records, Files files)
        : records_{std::make_shared<typed_records<Records>>(
              std::make_shared<Records>(std::move(records)))},
          files_{std::make_shared<typed_files<Files>>(std::make_shared<Files>(std::move(files)))} {}

    // --- records -------------------------------------------------------------------------------------

    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        return records_->create(record, events);
    }
    [[nodiscard]] result<operation_record> get(operation_id id) { return records_->get(id); }
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        return records_->query(query);
    }
    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        return records_->update(record, events);
    }
    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        return records_->update(held, record, events);
    }
    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        return records_->claim(request);
    }
    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        return records_->claim(id, request);
    }
    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        return records_->renew(held, now, time);
    }
    [[nodiscard]] result<> release(const lease& held) { return records_->release(held); }
    [[nodiscard]] result<> remove(operation_id id) { return records_->remove(id); }
    [[nodiscard]] result<> record(const lease& held, const row_batch& batch) {
        return records_->record(held, batch);
    }
    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return records_->query(query);
    }
    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        return records_->get(id, row, step);
    }
    [[nodiscard]] result<operation_record> move_steps(const lease& held,
                                                      const operation_record& record,
                                                      const step_moves& to) {
        return records_->move_steps(held, record, to);
    }
    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        return records_->progress(id, first, count);
    }
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) {
        return records_->row_numbers(query);
    }
    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        return records_->send(sent, until);
    }
    [[nodiscard]] result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                            std::uint32_t limit) {
        return records_->signals(id, after, limit);
    }
    [[nodiscard]] result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                                 step_index step) {
        return records_->close_wait(held, row, step);
    }
    [[nodiscard]] result<retry_submission> retry(const operation_record& record,
                                                 const retry_filter& filter,
                                                 const std::vector<step_index>& steps,
                                                 const std::vector<event>& events) {
        return records_->retry(record, filter, steps, events);
    }
    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query) {
        return records_->retry_history(query);
    }
    [[nodiscard]] flight_recorder& flights() { return records_->flights(); }
    [[nodiscard]] result<std::vector<crashed_row>> crashes(operation_id id) {
        return records_->crashes(id);
    }
    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        return records_->events(id, after, limit);
    }
    [[nodiscard]] result<std::optional<std::uint64_t>> event_position(const std::string& reader) {
        return records_->event_position(reader);
    }
    [[nodiscard]] result<> set_event_position(const std::string& reader, std::uint64_t position) {
        return records_->set_event_position(reader, position);
    }
    [[nodiscard]] result<> save_worker(const worker_record& record) {
        return records_->save_worker(record);
    }
    [[nodiscard]] result<> remove_worker(worker_id id) { return records_->remove_worker(id); }
    [[nodiscard]] result<std::vector<worker_record>> workers() { return records_->workers(); }

    // --- what not every backend has ------------------------------------------------------------------

    /// The type of the connection that a step can write through; null: the backend has none.
    [[nodiscard]] const std::type_info* connection_type() const {
        return records_->connection_type();
    }
    /// A transaction for a step; only with a `connection_type`.
    [[nodiscard]] result<std::unique_ptr<open_transaction>> begin(const lease& held) {
        return records_->begin(held);
    }
    /// Runs of feeds; those of a backend that keeps none fail every call.
    [[nodiscard]] std::unique_ptr<feed_port> feeds() { return records_->feeds(); }
    /// Whether a change fails because the disk is full.
    [[nodiscard]] bool is_full() const { return records_->is_full(); }
    /// Whether a record that cannot be read may refer to this upload.
    [[nodiscard]] result<bool> may_use(const std::string& file) { return records_->may_use(file); }

    // --- uploads -------------------------------------------------------------------------------------

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        return files_->put_file(std::move(name), pull, most, now, std::move(from));
    }
    [[nodiscard]] result<stored_file> file(const std::string& id) { return files_->file(id); }
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        return files_->open_file(id, offset);
    }
    [[nodiscard]] result<> remove_file(const std::string& id) { return files_->remove_file(id); }
    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        return files_->files(after, limit, prefix);
    }
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id) {
        return files_->file_memory(id);
    }

private:
    template <bulk::storage Backend>
    explicit any_storage(std::shared_ptr<Backend> backend)
        : records_{std::make_shared<typed_records<Backend>>(backend)},
          files_{std::make_shared<typed_files<Backend>>(backend)} {}

    std::shared_ptr<record_port> records_;
    std::shared_ptr<file_port> files_;
};
static_assert(bulk::storage<any_storage>);

}  // namespace bulk
