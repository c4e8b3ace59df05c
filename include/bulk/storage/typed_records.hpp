// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/file_port.hpp>
#include <bulk/storage/record_port.hpp>
#include <bulk/storage/typed_feeds.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace bulk {

/// A transaction of a backend behind `open_transaction`.
template <typename Transaction>
class typed_transaction final : public open_transaction {
public:
    explicit typed_transaction(Transaction open) : open_{std::move(open)} {}

    [[nodiscard]] void* connection() override { return &open_.connection(); }
    [[nodiscard]] result<> record(const row_batch& batch) override { return open_.record(batch); }
    [[nodiscard]] result<> commit() override { return open_.commit(); }
    [[nodiscard]] std::optional<error> overdue() override {
        if constexpr (requires { open_.overdue(); }) return open_.overdue();
        return std::nullopt;
    }

private:
    Transaction open_;
};

/// A backend behind `record_port`: what its header includes, so that `any_storage` can hold it.
template <record_store Backend>
class typed_records final : public record_port {
public:
    explicit typed_records(std::shared_ptr<Backend> backend) : backend_{std::move(backend)} {}

    result<operation_record> create(const operation_record& record,
                                    const std::vector<event>& events) override {
        return backend_->create(record, events);
    }
    result<operation_record> get(operation_id id) override { return backend_->get(id); }
    result<page<operation_record>> query(const operation_query& query) override {
        return backend_->query(query);
    }
    result<operation_record> update(const operation_record& record,
                                    const std::vector<event>& events) override {
        return backend_->update(record, events);
    }
    result<operation_record> update(const lease& held, const operation_record& record,
                                    const std::vector<event>& events) override {
        return backend_->update(held, record, events);
    }
    result<std::optional<claimed_operation>> claim(const claim_request& request) override {
        return backend_->claim(request);
    }
    result<std::optional<claimed_operation>> claim(operation_id id,
                                                   const claim_request& request) override {
        return backend_->claim(id, request);
    }
    result<operation_record> renew(const lease& held, timestamp now,
                                   std::chrono::milliseconds time) override {
        return backend_->renew(held, now, time);
    }
    result<> release(const lease& held) override { return backend_->release(held); }
    result<> remove(operation_id id) override { return backend_->remove(id); }
    result<> record(const lease& held, const row_batch& batch) override {
        return backend_->record(held, batch);
    }
    result<page<row_record>> query(const row_query& query) override {
        return backend_->query(query);
    }
    result<std::optional<row_record>> get(operation_id id, row_number row,
                                          step_index step) override {
        return backend_->get(id, row, step);
    }
    result<operation_record> move_steps(const lease& held, const operation_record& record,
                                        const step_moves& to) override {
        return backend_->move_steps(held, record, to);
    }
    result<std::vector<std::optional<row_progress>>> progress(operation_id id, row_number first,
                                                              std::uint64_t count) override {
        return backend_->progress(id, first, count);
    }
    result<page<row_number>> row_numbers(const row_query& query) override {
        return backend_->row_numbers(query);
    }
    result<signal_receipt> send(const signal& sent, timestamp until) override {
        return backend_->send(sent, until);
    }
    result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                              std::uint32_t limit) override {
        return backend_->signals(id, after, limit);
    }
    result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                   step_index step) override {
        return backend_->close_wait(held, row, step);
    }
    result<retry_submission> retry(const operation_record& record, const retry_filter& filter,
                                   const std::vector<step_index>& steps,
                                   const std::vector<event>& events) override {
        return backend_->retry(record, filter, steps, events);
    }
    result<page<retry_entry>> retry_history(const retry_history_query& query) override {
        return backend_->retry_history(query);
    }
    flight_recorder& flights() override { return backend_->flights(); }
    result<std::vector<crashed_row>> crashes(operation_id id) override {
        return backend_->crashes(id);
    }
    result<std::vector<event>> events(std::optional<operation_id> id,
                                      std::optional<std::uint64_t> after,
                                      std::uint32_t limit) override {
        return backend_->events(id, after, limit);
    }
    result<std::optional<std::uint64_t>> event_position(const std::string& reader) override {
        return backend_->event_position(reader);
    }
    result<> set_event_position(const std::string& reader, std::uint64_t position) override {
        return backend_->set_event_position(reader, position);
    }
    result<> save_worker(const worker_record& record) override {
        return backend_->save_worker(record);
    }
    result<> remove_worker(worker_id id) override { return backend_->remove_worker(id); }
    result<std::vector<worker_record>> workers() override { return backend_->workers(); }

    [[nodiscard]] const std::type_info* connection_type() const override {
        if constexpr (transactional_store<Backend>)
            return &typeid(typename Backend::connection);
        else
            return nullptr;
    }
    result<std::unique_ptr<open_transaction>> begin(const lease& held) override {
        if constexpr (transactional_store<Backend>) {
            auto begun = backend_->begin(held);
            if (!begun) return std::unexpected{std::move(begun).error()};
            return std::make_unique<typed_transaction<typename Backend::transaction>>(
                std::move(*begun));
        } else {
            return fail(errc::invalid_argument, "the storage has no transactions for steps");
        }
    }
    [[nodiscard]] std::unique_ptr<feed_port> feeds() override {
        if constexpr (feed_storage<Backend>) {
            using ledger = decltype(backend_->feeds());
            return std::make_unique<typed_feeds<ledger>>(backend_->feeds());
        } else {
            return make_absent_feeds();
        }
    }
    [[nodiscard]] bool is_full() const override {
        if constexpr (requires { backend_->is_full(); }) return backend_->is_full();
        return false;
    }
    result<bool> may_use(const std::string& file) override {
        if constexpr (requires { backend_->may_use(file); }) return backend_->may_use(file);
        return false;
    }

private:
    std::shared_ptr<Backend> backend_;
};

}  // namespace bulk
