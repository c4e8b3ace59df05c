// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/memory/all_tables.hpp>
#include <bulk/storage/memory/feed_backend.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Everything in this process, gone with it: for tests, for embedding, and the reference for every
/// other backend. A handle: copies share what they hold, as two processes share a database. One
/// lock, which reads share; each call holds it for as long as it takes to find or put its records.
class storage {
public:
    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        const auto lock = all_->lock.write();
        if (!record.idempotency_key.empty())
            if (const auto* first = all_->operations.find_key(record.name, record.idempotency_key))
                return *first;
        auto stored = all_->operations.insert(record);
        if (stored) all_->events.append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> get(operation_id id) {
        const auto lock = all_->lock.read();
        return known().operations.get(id);
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        return search([&] { return known().operations.query(query); });
    }

    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        const auto lock = all_->lock.write();
        auto stored = all_->operations.update(record);
        if (stored) all_->events.append(events);
        return stored;
    }

    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        const auto lock = all_->lock.write();
        auto stored = all_->operations.update(held, record);
        if (stored) all_->events.append(events);
        return stored;
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        const auto lock = all_->lock.write();
        return all_->count_crashes(all_->operations.claim(request));
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        const auto lock = all_->lock.write();
        return all_->count_crashes(all_->operations.claim(id, request));
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        const auto lock = all_->lock.write();
        return all_->operations.renew(held, now, time);
    }

    [[nodiscard]] result<> release(const lease& held) {
        const auto lock = all_->lock.write();
        return all_->operations.release(held);
    }

    [[nodiscard]] result<> remove(operation_id id) {
        const auto lock = all_->lock.write();
        if (auto removed = all_->operations.remove(id); !removed) return removed;
        all_->rows.erase(id);
        all_->crashes.forget(id);
        all_->events.remove(id);
        return {};
    }

    [[nodiscard]] result<> record(const lease& held, const row_batch& batch) {
        const auto lock = all_->lock.write();
        auto counted = all_->operations.count(held, batch.counted);
        if (!counted) return counted;
        all_->rows_of(held.operation).add(batch);
        all_->events.append(batch.events);
        return counted;
    }

    [[nodiscard]] result<operation_record> move_steps(const lease& held,
                                                      const operation_record& record,
                                                      const step_moves& to) {
        const auto lock = all_->lock.write();
        auto stored = all_->operations.update(held, record);
        if (stored) all_->rows_of(held.operation).move_steps(to);
        return stored;
    }

    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return search([&]() -> result<page<row_record>> {
            return known().look_at_rows(query.operation,
                                        [&](const auto& rows) { return rows.query(query); });
        });
    }

    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return search([&]() -> result<page<row_number>> {
            return known().look_at_rows(query.operation,
                                        [&](const auto& rows) { return rows.row_numbers(query); });
        });
    }

    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        const auto lock = all_->lock.read();
        const auto rows = known().rows.find(id);
        if (rows == known().rows.end()) return std::nullopt;
        return rows->second.get(row, step);
    }

    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        std::vector<std::optional<row_progress>> all(count);
        const auto lock = all_->lock.read();
        if (const auto rows = known().rows.find(id); rows != known().rows.end())
            rows->second.progress(first, all);
        return all;
    }

    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        if (sent.key.empty()) return fail(errc::invalid_argument, "a signal needs a key");
        const auto lock = all_->lock.write();
        const auto* operation = all_->operations.find(sent.operation);
        if (operation == nullptr) return operation_not_found(sent.operation);
        if (auto can = check_signallable(*operation); !can) return std::unexpected{can.error()};
        return all_->rows_of(sent.operation).send(sent, until);
    }

    [[nodiscard]] result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                            std::uint32_t limit) {
        const auto lock = all_->lock.read();
        const auto most = std::clamp<std::uint32_t>(limit, 1, largest_page);
        return known().look_at_rows(id, [&](const auto& rows) {
            return result<std::vector<given_signal>>{rows.signals(after, most)};
        });
    }

    [[nodiscard]] result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                                 step_index step) {
        const auto lock = all_->lock.write();
        if (auto owned = all_->operations.check(held); !owned)
            return std::unexpected{owned.error()};
        return all_->rows_of(held.operation).close_wait(row, step);
    }

    [[nodiscard]] result<retry_submission> retry(const operation_record& record,
                                                 const retry_filter& filter,
                                                 const std::vector<step_index>& steps,
                                                 const std::vector<event>& events) {
        if (filter.rows && filter.rows->empty())
            return fail(errc::invalid_argument,
                        "no rows are named: leave the list out to retry all that failed");
        const auto lock = all_->lock.write();
        if (auto current = all_->operations.check_version(record); !current)
            return std::unexpected{current.error()};
        auto submission = all_->rows_of(record.id).retry(filter, steps);
        if (submission.submitted == 0 && unprocessed(record.rows) == 0) return submission;
        if (submission.submitted > 0) all_->crashes.forget(record.id);
        all_->operations.retry(record, submission.submitted);
        all_->events.append(events);
        return submission;
    }

    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query) {
        if (auto size = check_page_size(query.page_size); !size)
            return std::unexpected{size.error()};
        const auto lock = all_->lock.write();  // it sorts what it looks at
        auto look = [&]() -> result<page<retry_entry>> {
            if (known().operations.find(query.operation) == nullptr)
                return operation_not_found(query.operation);
            return all_->rows_of(query.operation).history(query);
        };
        return within_limit(look);
    }

    [[nodiscard]] flight_recorder& flights() { return all_->crashes.flights(); }

    [[nodiscard]] result<std::vector<crashed_row>> crashes(operation_id id) {
        const auto lock = all_->lock.read();
        if (known().operations.find(id) == nullptr) return operation_not_found(id);
        return known().crashes.of(id);
    }

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        const auto lock = all_->lock.read();
        return known().events.find(id, after, std::clamp<std::uint32_t>(limit, 1, largest_page));
    }

    [[nodiscard]] result<std::optional<std::uint64_t>> event_position(const std::string& reader) {
        const auto lock = all_->lock.read();
        return known().events.position(reader);
    }

    [[nodiscard]] result<> set_event_position(const std::string& reader, std::uint64_t position) {
        const auto lock = all_->lock.write();
        all_->events.set_position(reader, position);
        return {};
    }

    [[nodiscard]] result<> save_worker(const worker_record& record) {
        const auto lock = all_->lock.write();
        all_->workers.save(record);
        return {};
    }

    [[nodiscard]] result<> remove_worker(worker_id id) {
        const auto lock = all_->lock.write();
        all_->workers.remove(id);
        return {};
    }

    [[nodiscard]] result<std::vector<worker_record>> workers() {
        const auto lock = all_->lock.read();
        return known().workers.list();
    }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        auto read = read_upload(std::move(name), pull, most, now, std::move(from));
        if (!read) return std::unexpected{read.error()};
        const auto lock = all_->lock.write();
        return all_->files.put(std::move(*read));
    }

    [[nodiscard]] result<stored_file> file(const std::string& id) {
        const auto lock = all_->lock.read();
        return known().files.about(id);
    }

    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        const auto lock = all_->lock.read();
        return known().files.open(id, offset);
    }

    /// The content itself, to be read where it is; null if there is no such file.
    [[nodiscard]] std::shared_ptr<const std::string> file_memory(const std::string& id) {
        const auto lock = all_->lock.read();
        return known().files.content(id);
    }

    [[nodiscard]] result<> remove_file(const std::string& id) {
        const auto lock = all_->lock.write();
        return all_->files.remove(id);
    }

    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        return search([&]() -> result<std::vector<stored_file>> {
            return known().files.list(after, std::clamp<std::uint32_t>(limit, 1, largest_page),
                                      prefix);
        });
    }

    /// Runs of feeds. A handle, too: it shares what this one holds, and its events are among the others.
    [[nodiscard]] feed_ledger<feed_backend> feeds() {
        return feed_ledger{feed_backend{{all_, &all_->lock}, {all_, &all_->feeds}}};
    }

private:
    /// For reading: several threads do.
    [[nodiscard]] const all_tables& known() const { return *all_; }

    /// Under the lock. Loops over records end early when the limit of this thread's reads is reached:
    /// what they found by then is not the result.
    template <typename Look>
    [[nodiscard]] std::invoke_result_t<Look> search(Look look) {
        const auto lock = all_->lock.search();
        return within_limit(look);
    }

    template <typename Look>
    [[nodiscard]] static std::invoke_result_t<Look> within_limit(Look& look) {
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        auto found = look();
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        return found;
    }

    std::shared_ptr<all_tables> all_ = std::make_shared<all_tables>();
};
static_assert(bulk::storage<storage>);
static_assert(feed_storage<storage>);

}  // namespace bulk::memory
