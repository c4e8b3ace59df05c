// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/file_port.hpp>
#include <bulk/storage/record_port.hpp>

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

/// Defined in storage/typed_records.hpp.
template <record_store Backend>
class typed_records;

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
        : any_storage{shared, std::make_shared<std::remove_cvref_t<Backend>>(
                                  std::forward<Backend>(backend))} {}

    /// A backend of the caller's, which outlives this and its copies: `any_storage{std::ref(mine)}`.
    template <bulk::storage Backend>
        requires(!std::derived_from<Backend, any_storage>)
    explicit any_storage(std::reference_wrapper<Backend> backend)
        : any_storage{shared, std::shared_ptr<Backend>{std::shared_ptr<void>{}, &backend.get()}} {}
    template <std::derived_from<any_storage> Handle>
    explicit any_storage(std::reference_wrapper<Handle> handle)
        : any_storage{static_cast<const any_storage&>(handle.get())} {}

    /// Records in one backend, uploads in another.
    template <record_store Records, file_store Files>
        requires(!std::derived_from<Records, any_storage>)
    any_storage(Records records, Files files)
        : records_{port_of(std::make_shared<Records>(std::move(records)))},
          files_{std::make_shared<typed_files<Files>>(std::make_shared<Files>(std::move(files)))} {}
    /// Records of a storage, uploads in another.
    template <std::derived_from<any_storage> Handle, file_store Files>
    any_storage(const Handle& records, Files files)
        : records_{static_cast<const any_storage&>(records).records_},
          files_{std::make_shared<typed_files<Files>>(std::make_shared<Files>(std::move(files)))} {}

    // --- records -------------------------------------------------------------------------------------

    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events);
    [[nodiscard]] result<operation_record> get(operation_id id);
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query);
    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events);
    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events);
    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request);
    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request);
    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time);
    [[nodiscard]] result<> release(const lease& held);
    [[nodiscard]] result<> remove(operation_id id);
    [[nodiscard]] result<> record(const lease& held, const row_batch& batch);
    [[nodiscard]] result<page<row_record>> query(const row_query& query);
    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step);
    [[nodiscard]] result<operation_record> move_steps(const lease& held,
                                                      const operation_record& record,
                                                      const step_moves& to);
    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count);
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query);
    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until);
    [[nodiscard]] result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                            std::uint32_t limit);
    [[nodiscard]] result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                                 step_index step);
    [[nodiscard]] result<retry_submission> retry(const operation_record& record,
                                                 const retry_filter& filter,
                                                 const std::vector<step_index>& steps,
                                                 const std::vector<event>& events);
    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query);
    [[nodiscard]] flight_recorder& flights();
    [[nodiscard]] result<std::vector<crashed_row>> crashes(operation_id id);
    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit);
    [[nodiscard]] result<std::optional<std::uint64_t>> event_position(const std::string& reader);
    [[nodiscard]] result<> set_event_position(const std::string& reader, std::uint64_t position);
    [[nodiscard]] result<> save_worker(const worker_record& record);
    [[nodiscard]] result<> remove_worker(worker_id id);
    [[nodiscard]] result<std::vector<worker_record>> workers();

    // --- what not every backend has ------------------------------------------------------------------

    /// The type of the connection that a step can write through; null: the backend has none.
    [[nodiscard]] const std::type_info* connection_type() const;
    /// A transaction for a step; only with a `connection_type`.
    [[nodiscard]] result<std::unique_ptr<open_transaction>> begin(const lease& held);
    /// Runs of feeds; those of a backend that keeps none fail every call.
    [[nodiscard]] std::unique_ptr<feed_port> feeds();
    /// Whether a change fails because the disk is full.
    [[nodiscard]] bool is_full() const;
    /// Whether a record that cannot be read may refer to this upload.
    [[nodiscard]] result<bool> may_use(const std::string& file);

    // --- uploads -------------------------------------------------------------------------------------

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {});
    [[nodiscard]] result<stored_file> file(const std::string& id);
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset);
    [[nodiscard]] result<> remove_file(const std::string& id);
    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {});
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id);

private:
    struct shared_tag {};
    static constexpr shared_tag shared{};

    template <typename Backend>
    any_storage(shared_tag, std::shared_ptr<Backend> backend)
        : records_{port_of(backend)},
          files_{std::make_shared<typed_files<Backend>>(std::move(backend))} {}

    template <typename Backend>
    [[nodiscard]] static std::shared_ptr<record_port> port_of(std::shared_ptr<Backend> backend) {
        static_assert(
            requires { sizeof(typed_records<Backend>); },
            "the header of a backend has to include <bulk/storage/typed_records.hpp>");
        return std::make_shared<typed_records<Backend>>(std::move(backend));
    }

    std::shared_ptr<record_port> records_;
    std::shared_ptr<file_port> files_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/storage/implementation.hpp>
#endif
