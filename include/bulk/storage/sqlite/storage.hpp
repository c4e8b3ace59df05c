// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/concepts.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/own_presence.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/crash_table.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/event_table.hpp>
#include <bulk/storage/sqlite/feed_transactions.hpp>
#include <bulk/storage/sqlite/operation_search.hpp>
#include <bulk/storage/sqlite/operation_table.hpp>
#include <bulk/storage/sqlite/record_batch.hpp>
#include <bulk/storage/sqlite/retry_table.hpp>
#include <bulk/storage/sqlite/row_search.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/step_mover.hpp>
#include <bulk/storage/sqlite/transaction.hpp>
#include <bulk/storage/sqlite/wait_table.hpp>
#include <bulk/storage/sqlite/worker_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Everything in one file that outlives the process, and uploads in a directory beside it. A handle:
/// copies share it. Several storages, in this or another process, may have one file open.
class storage {
public:
    using connection = sqlite::connection;
    using transaction = sqlite::transaction;

    /// Creates the file if there is none, and brings an older one to this version. One of this version
    /// is opened without writing anything, so that it can be read on a disk that cannot be written.
    [[nodiscard]] static result<storage> open(const std::string& path,
                                              const sqlite_options& options = {},
                                              std::span<const migration> steps = migrations) {
        auto opened = database::open(path, options, steps);
        if (!opened) return std::unexpected{opened.error()};
        auto present = std::make_shared<own_presence>(presence_prefix(path), unique_name());
        const std::string folder =
            options.files_directory.empty() ? path + "-files" : options.files_directory;
        auto uploads = bulk::files::directory::open(folder);
        // On a disk that cannot be written there is still something to read.
        if (!uploads && uploads.error().code == errc::unavailable)
            uploads = bulk::files::directory::attach(folder);
        if (!uploads) return std::unexpected{uploads.error()};
        return storage{std::move(*opened), std::move(present), std::move(*uploads)};
    }

    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        return database_->write("creating an operation",
                                [&](session& change) -> result<operation_record> {
                                    auto stored = operation_table{change}.insert(record);
                                    if (stored && stored->id == record.id)
                                        event_table{change}.append(events);
                                    return stored;
                                });
    }

    [[nodiscard]] result<operation_record> get(operation_id id) {
        return database_->read("reading an operation",
                               [&](session& look) -> result<operation_record> {
                                   auto found = operation_table{look}.find(id);
                                   if (!found) return std::unexpected{found.error()};
                                   return std::move(found->record);
                               });
    }

    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return database_->read("looking for operations", [&](session& look) {
            return operation_search{look, query}.records();
        });
    }

    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        return database_->write("updating an operation", [&](session& change) {
            auto stored = operation_table{change}.update(record);
            if (stored) event_table{change}.append(events);
            return stored;
        });
    }

    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        return database_->write("updating an operation", [&](session& change) {
            auto stored = operation_table{change}.update(held, record);
            if (stored) event_table{change}.append(events);
            return stored;
        });
    }

    /// What processes have left that died on this machine can be claimed at once.
    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        return claim_after_burial([&](session& change) {
            return operation_table{change}.claim(request, present_->name());
        });
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        return claim_after_burial([&](session& change) {
            return operation_table{change}.claim(id, request, present_->name());
        });
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        return database_->write("renewing a lease", [&](session& change) {
            return operation_table{change}.renew(held, now + time);
        });
    }

    [[nodiscard]] result<> release(const lease& held) {
        return database_->write("giving a lease back", [&](session& change) {
            return operation_table{change}.release(held);
        });
    }

    [[nodiscard]] result<> remove(operation_id id) {
        return database_->write("removing an operation", [&](session& change) {
            return operation_table{change}.remove(id);
        });
    }

    /// Whether an operation has an upload, or may have it, as its own record is damaged.
    [[nodiscard]] result<bool> may_use(const std::string& file) {
        return database_->read(
            "looking for the operation of an upload",
            [&](session& look) -> result<bool> { return operation_table{look}.may_use(file); });
    }

    /// Whether a change fails because there is no space left for it.
    [[nodiscard]] bool is_full() const { return database_->is_full(); }

    [[nodiscard]] result<> record(const lease& held, const row_batch& batch) {
        return database_->write("recording rows",
                                [&](session& change) { return record_batch(change, held, batch); });
    }

    [[nodiscard]] result<operation_record> move_steps(const lease& held,
                                                      const operation_record& record,
                                                      const step_moves& to) {
        return database_->write("moving steps", [&](session& change) -> result<operation_record> {
            auto stored = operation_table{change}.update(held, record);
            if (!stored) return stored;
            const auto number = operation_table{change}.number_of(held.operation);
            row_table rows{change, held.operation, number.value_or(0)};
            step_mover{rows, to}.move_all();
            return stored;
        });
    }

    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return search<page<row_record>>(query, [](row_search search) { return search.records(); });
    }

    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) {
        return search<page<row_number>>(query,
                                        [](row_search search) { return search.row_numbers(); });
    }

    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        return database_->read("reading a row",
                               [&](session& look) -> result<std::optional<row_record>> {
                                   const auto number = operation_table{look}.number_of(id);
                                   if (!number || row == row_number{0}) return std::nullopt;
                                   row_table rows{look, id, *number};
                                   return rows.get(row, step, rows.page(page_of(to_number(row))));
                               });
    }

    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        return database_->read(
            "reading how far rows are",
            [&](session& look) -> result<std::vector<std::optional<row_progress>>> {
                std::vector<std::optional<row_progress>> all(count);
                if (const auto number = operation_table{look}.number_of(id))
                    row_table{look, id, *number}.progress(first, all);
                return all;
            });
    }

    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        if (sent.key.empty()) return fail(errc::invalid_argument, "a signal needs a key");
        // A signal that is refused has been sent, too: it tells what time it is.
        auto done = database_->write(
            "sending a signal", [&](session& change) -> result<result<signal_receipt>> {
                const auto operation = operation_table{change}.find(sent.operation);
                if (!operation) return std::unexpected{operation.error()};
                if (auto can = check_signallable(operation->record); !can)
                    return std::unexpected{can.error()};
                row_table rows{change, sent.operation, operation->number};
                return wait_table{change, sent.operation, operation->number}.send(
                    sent, until, [&](row_number row) {
                        std::optional<row_progress> last;
                        rows.progress(row, {&last, 1});
                        return last;
                    });
            });
        if (!done) return std::unexpected{done.error()};
        return std::move(*done);
    }

    [[nodiscard]] result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                            std::uint32_t limit) {
        return database_->read("looking for signals",
                               [&](session& look) -> result<std::vector<given_signal>> {
                                   const auto number = operation_table{look}.number_of(id);
                                   if (!number) return operation_not_found(id);
                                   return wait_table{look, id, *number}.given(
                                       after, std::clamp<std::uint32_t>(limit, 1, largest_page));
                               });
    }

    [[nodiscard]] result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                                 step_index step) {
        return database_->write(
            "ending a wait", [&](session& change) -> result<std::optional<given_signal>> {
                const auto owned = operation_table{change}.find_owned(held);
                if (!owned) return std::unexpected{owned.error()};
                return wait_table{change, held.operation, owned->number}.close(row, step);
            });
    }

    [[nodiscard]] result<retry_submission> retry(const operation_record& record,
                                                 const retry_filter& filter,
                                                 const std::vector<step_index>& steps,
                                                 const std::vector<event>& events) {
        if (filter.rows && filter.rows->empty())
            return fail(errc::invalid_argument,
                        "no rows are named: leave the list out to retry all that failed");
        return database_->write("retrying rows", [&](session& change) -> result<retry_submission> {
            operation_table operations{change};
            const auto stored = operations.check_version(record);
            if (!stored) return std::unexpected{stored.error()};
            auto made = retry_table{change, record.id, stored->number}.reset(filter, steps);
            if (made.submitted == 0 && unprocessed(record.rows) == 0) return made;
            if (made.submitted > 0) crash_table{change}.forget(stored->number);
            operations.retry(*stored, record, made.submitted);
            event_table{change}.append(events);
            return made;
        });
    }

    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query) {
        if (auto size = check_page_size(query.page_size); !size)
            return std::unexpected{size.error()};
        return database_->read(
            "looking for earlier failures", [&](session& look) -> result<page<retry_entry>> {
                const auto number = operation_table{look}.number_of(query.operation);
                if (!number) return operation_not_found(query.operation);
                return retry_table{look, query.operation, *number}.query(query);
            });
    }

    [[nodiscard]] flight_recorder& flights() { return present_->flights(); }

    [[nodiscard]] result<std::vector<crashed_row>> crashes(operation_id id) {
        return database_->read("looking for crashes",
                               [&](session& look) -> result<std::vector<crashed_row>> {
                                   const auto number = operation_table{look}.number_of(id);
                                   if (!number) return operation_not_found(id);
                                   return crash_table{look}.of(id, *number);
                               });
    }

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        return database_->read(
            "looking for events", [&](session& look) -> result<std::vector<event>> {
                return event_table{look}.find(id, after,
                                              std::clamp<std::uint32_t>(limit, 1, largest_page));
            });
    }

    [[nodiscard]] result<std::optional<std::uint64_t>> event_position(const std::string& reader) {
        return database_->read("reading how far events were read",
                               [&](session& look) -> result<std::optional<std::uint64_t>> {
                                   return event_table{look}.position(reader);
                               });
    }

    [[nodiscard]] result<> set_event_position(const std::string& reader, std::uint64_t position) {
        return database_->write("writing how far events were read",
                                [&](session& change) -> result<> {
                                    event_table{change}.set_position(reader, position);
                                    return {};
                                });
    }

    [[nodiscard]] result<> save_worker(const worker_record& record) {
        return database_->write("noting a worker", [&](session& change) -> result<> {
            worker_table{change}.save(record);
            return {};
        });
    }

    [[nodiscard]] result<> remove_worker(worker_id id) {
        return database_->write("forgetting a worker", [&](session& change) -> result<> {
            worker_table{change}.remove(id);
            return {};
        });
    }

    [[nodiscard]] result<std::vector<worker_record>> workers() {
        return database_->read("looking for workers",
                               [&](session& look) -> result<std::vector<worker_record>> {
                                   return worker_table{look}.list();
                               });
    }

    /// Runs of feeds, in the same file.
    [[nodiscard]] feed_ledger<feed_transactions> feeds() {
        return feed_ledger{feed_transactions{database_, present_}};
    }

    /// A transaction for a step of an operation that is held.
    [[nodiscard]] result<transaction> begin(const lease& held) {
        return transaction::begin(database_, held);
    }

    [[nodiscard]] result<stored_file> put_file(std::string name, const byte_pull& pull,
                                               std::uint64_t most, timestamp now,
                                               file_origin from = {}) {
        return files_.put_file(std::move(name), pull, most, now, std::move(from));
    }
    [[nodiscard]] result<stored_file> file(const std::string& id) { return files_.file(id); }
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset) {
        return files_.open_file(id, offset);
    }
    [[nodiscard]] result<> remove_file(const std::string& id) { return files_.remove_file(id); }
    [[nodiscard]] result<std::vector<stored_file>> files(const std::string& after,
                                                         std::uint32_t limit,
                                                         std::string_view prefix = {}) {
        return files_.files(after, limit, prefix);
    }

private:
    storage(std::shared_ptr<database> opened, std::shared_ptr<own_presence> present,
            bulk::files::directory uploads)
        : database_{std::move(opened)}, present_{std::move(present)}, files_{std::move(uploads)} {}

    [[nodiscard]] static std::string unique_name() {
        std::random_device random;
        const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
        return to_text(uuid{.high = word(), .low = word()});
    }

    template <typename Claim>
    [[nodiscard]] result<std::optional<claimed_operation>> claim_after_burial(Claim claim) {
        if (auto begun = present_->begin(); !begun) return std::unexpected{begun.error()};
        burial dead{presence_prefix(database_->path())};
        dead.look();
        auto claimed = database_->write("claiming an operation", [&](session& change) {
            dead.hold(change);
            return claim(change);
        });
        if (claimed) dead.end();
        return claimed;
    }

    template <typename Found, typename Search>
    [[nodiscard]] result<Found> search(const row_query& query, Search search) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return database_->read("looking for rows", [&](session& look) -> result<Found> {
            const auto operation = operation_table{look}.find(query.operation);
            if (!operation) return std::unexpected{operation.error()};
            row_table rows{look, query.operation, operation->number};
            return search(row_search{rows, query, operation->last_step});
        });
    }

    std::shared_ptr<database> database_;
    std::shared_ptr<own_presence> present_;
    bulk::files::directory files_;
};

static_assert(bulk::storage<storage> && transactional_store<storage> && feed_storage<storage>);

}  // namespace bulk::sqlite
