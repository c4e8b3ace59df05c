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
#include <bulk/storage/operation_changes.hpp>
#include <bulk/storage/operation_life.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/record_queries.hpp>
#include <bulk/storage/retry_selection.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_crashes.hpp>
#include <bulk/storage/row_recording.hpp>
#include <bulk/storage/row_waits.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk {

/// How a backend runs a transaction: `write(doing, change)` and `read(doing, look)` call back with the
/// tables and answer with what that returns, a `result`. A change that fails has changed nothing. A
/// backend may also have `claim(doing, change)`, a write that first looks for dead processes, and
/// `search(doing, look)`, a read of any number of records.
template <typename Backend>
concept operation_backend = requires { requires operation_tables<typename Backend::tables>; };

/// Operations, their rows, signals, retries, crashes, events and workers: every rule of theirs, on any
/// backend. A handle: copies share what they hold. Every function may be called from any thread; each that
/// changes something is one transaction. What they mean is in concepts.hpp.
template <operation_backend Backend>
class operation_ledger {
public:
    explicit operation_ledger(Backend backend) : backend_{std::move(backend)} {}

    // --- operations ------------------------------------------------------------------------------

    [[nodiscard]] result<operation_record> create(const operation_record& record,
                                                  const std::vector<event>& events) {
        return backend_.write("creating an operation",
                              [&](auto& in) { return operation_life{in}.create(record, events); });
    }
    [[nodiscard]] result<operation_record> get(operation_id id) {
        return backend_.read("reading an operation", [&](auto& in) -> result<operation_record> {
            const auto stored = operation_life{in}.find(id);
            if (!stored) return std::unexpected{stored.error()};
            return (*stored)->record;
        });
    }
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return search_backend("looking for operations",
                              [&](auto& in) { return find_operations(in, query); });
    }
    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        return backend_.write("updating an operation",
                              [&](auto& in) { return operation_life{in}.update(record, events); });
    }
    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        return backend_.write("updating an operation", [&](auto& in) {
            return operation_life{in}.update(held, record, events);
        });
    }
    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        return claim_in_backend([&](auto& in) { return operation_life{in}.claim(request); });
    }
    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        return claim_in_backend([&](auto& in) { return operation_life{in}.claim(id, request); });
    }
    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp now,
                                                 std::chrono::milliseconds time) {
        return backend_.write("renewing a lease",
                              [&](auto& in) { return operation_life{in}.renew(held, now + time); });
    }
    [[nodiscard]] result<> release(const lease& held) {
        return backend_.write("giving a lease back",
                              [&](auto& in) { return operation_life{in}.release(held); });
    }
    [[nodiscard]] result<> remove(operation_id id) {
        return backend_.write("removing an operation",
                              [&](auto& in) { return operation_life{in}.remove(id); });
    }

    // --- rows ------------------------------------------------------------------------------------

    [[nodiscard]] result<> record(const lease& held, const row_batch& batch) {
        return backend_.write("recording rows",
                              [&](auto& in) { return record_rows(in, held, batch); });
    }
    [[nodiscard]] result<operation_record> move_steps(const lease& held,
                                                      const operation_record& record,
                                                      const step_moves& to) {
        return backend_.write("moving steps", [&](auto& in) {
            auto stored = operation_life{in}.update(held, record, {});
            if (!stored) return stored;
            if (const auto key = key_in(in, held.operation)) {
                in.rows_of(*key).move_steps(to);
                row_crashes{in}.move_steps(*key, to);
            }
            return stored;
        });
    }
    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return search<page<row_record>>(query,
                                        [&](auto&& rows) { return find_records(rows, query); });
    }
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) {
        return search<page<row_number>>(query,
                                        [&](auto&& rows) { return find_row_numbers(rows, query); });
    }
    [[nodiscard]] result<std::optional<row_record>> get(operation_id id, row_number row,
                                                        step_index step) {
        return backend_.read("reading a row", [&](auto& in) -> result<std::optional<row_record>> {
            const auto key = key_in(in, id);
            if (!key || row == row_number{0}) return std::nullopt;
            return in.rows_of(*key).get(row, step);
        });
    }
    [[nodiscard]] result<std::vector<std::optional<row_progress>>> progress(operation_id id,
                                                                            row_number first,
                                                                            std::uint64_t count) {
        using all_progress = std::vector<std::optional<row_progress>>;
        return backend_.read("reading how far rows are", [&](auto& in) -> result<all_progress> {
            all_progress all(count);
            if (const auto key = key_in(in, id)) in.rows_of(*key).progress(first, all);
            return all;
        });
    }

    // --- signals ---------------------------------------------------------------------------------

    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        if (sent.key.empty()) return fail(errc::invalid_argument, "a signal needs a key");
        // A signal that is refused has been sent, too: it tells what time it is.
        auto done =
            backend_.write("sending a signal", [&](auto& in) -> result<result<signal_receipt>> {
                const auto stored = operation_life{in}.find(sent.operation);
                if (!stored) return std::unexpected{stored.error()};
                if (auto can = check_signallable((*stored)->record); !can)
                    return std::unexpected{can.error()};
                auto&& rows = in.rows_of((*stored)->key);
                return row_waits{rows}.send(sent, until);
            });
        if (!done) return std::unexpected{done.error()};
        return std::move(*done);
    }
    [[nodiscard]] result<std::vector<given_signal>> signals(operation_id id, std::uint64_t after,
                                                            std::uint32_t limit) {
        return look_at<std::vector<given_signal>>(
            "looking for signals", id, [&](auto& in, const operation_key& key) {
                return in.rows_of(key).given(after, std::clamp(limit, 1U, largest_page));
            });
    }
    [[nodiscard]] result<std::optional<given_signal>> close_wait(const lease& held, row_number row,
                                                                 step_index step) {
        return backend_.write("ending a wait",
                              [&](auto& in) -> result<std::optional<given_signal>> {
                                  const auto owned = operation_life{in}.find_owned(held);
                                  if (!owned) return std::unexpected{owned.error()};
                                  auto&& rows = in.rows_of((*owned)->key);
                                  return row_waits{rows}.close(row, step);
                              });
    }

    // --- retries and crashes ---------------------------------------------------------------------

    [[nodiscard]] result<retry_submission> retry(const operation_record& record,
                                                 const retry_filter& filter,
                                                 const std::vector<step_index>& steps,
                                                 const std::vector<event>& events) {
        if (filter.rows && filter.rows->empty())
            return fail(errc::invalid_argument,
                        "no rows are named: leave the list out to retry all that failed");
        return backend_.write("retrying rows", [&](auto& in) -> result<retry_submission> {
            const auto stored = operation_life{in}.find(record.id);
            if (!stored) return std::unexpected{stored.error()};
            if (auto same = check_version((*stored)->record, record); !same)
                return std::unexpected{same.error()};
            const auto key = (*stored)->key;
            auto made = in.rows_of(key).reset_failed(retry_selection{filter, steps});
            if (made.submitted == 0 && unprocessed(record.rows) == 0) return made;
            if (made.submitted > 0) in.forget_crashes(key);
            operation_life{in}.retry(**stored, record, made.submitted, events);
            return made;
        });
    }
    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query) {
        if (auto size = check_page_size(query.page_size); !size)
            return std::unexpected{size.error()};
        return search_backend("looking for earlier failures",
                              [&](auto& in) -> result<page<retry_entry>> {
                                  const auto key = operation_life{in}.find_key(query.operation);
                                  if (!key) return std::unexpected{key.error()};
                                  auto&& rows = in.rows_of(*key);
                                  return find_history(rows, query);
                              });
    }
    [[nodiscard]] result<std::vector<crashed_row>> crashes(operation_id id) {
        return look_at<std::vector<crashed_row>>(
            "looking for crashes", id,
            [](auto& in, const operation_key& key) { return in.crashes(key); });
    }

    // --- events ----------------------------------------------------------------------------------

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after,
                                                    std::uint32_t limit) {
        return backend_.read("looking for events", [&](auto& in) -> result<std::vector<event>> {
            return in.find_events(id, after, std::clamp(limit, 1U, largest_page));
        });
    }
    [[nodiscard]] result<std::optional<std::uint64_t>> event_position(const std::string& reader) {
        return backend_.read("reading how far events were read",
                             [&](auto& in) -> result<std::optional<std::uint64_t>> {
                                 return in.event_position(reader);
                             });
    }
    /// A reader never goes back.
    [[nodiscard]] result<> set_event_position(const std::string& reader, std::uint64_t position) {
        return backend_.write("writing how far events were read", [&](auto& in) -> result<> {
            in.raise_event_position(reader, position);
            return {};
        });
    }

    // --- workers ---------------------------------------------------------------------------------

    [[nodiscard]] result<> save_worker(const worker_record& record) {
        return backend_.write("noting a worker", [&](auto& in) -> result<> {
            in.forget_workers(record.seen_at - worker_memory);
            in.put_worker(record);
            return {};
        });
    }
    [[nodiscard]] result<> remove_worker(worker_id id) {
        return backend_.write("forgetting a worker", [&](auto& in) -> result<> {
            in.remove_worker(id);
            return {};
        });
    }
    [[nodiscard]] result<std::vector<worker_record>> workers() {
        return backend_.read("looking for workers",
                             [&](auto& in) -> result<std::vector<worker_record>> {
                                 auto found = in.find_workers(most_workers);
                                 std::ranges::sort(found, {}, [](const worker_record& each) {
                                     return std::tie(each.name, each.started_at, each.id);
                                 });
                                 return found;
                             });
    }

private:
    template <typename Found, typename Look>
    [[nodiscard]] result<Found> look_at(std::string_view doing, operation_id id, Look look) {
        return backend_.read(doing, [&](auto& in) -> result<Found> {
            const auto key = operation_life{in}.find_key(id);
            if (!key) return std::unexpected{key.error()};
            return look(in, *key);
        });
    }

    template <typename Change>
    [[nodiscard]] auto claim_in_backend(Change change) {
        constexpr std::string_view doing = "claiming an operation";
        if constexpr (requires { backend_.claim(doing, change); })
            return backend_.claim(doing, std::move(change));
        else
            return backend_.write(doing, std::move(change));
    }
    template <typename Look>
    [[nodiscard]] auto search_backend(std::string_view doing, Look look) {
        if constexpr (requires { backend_.search(doing, look); })
            return backend_.search(doing, std::move(look));
        else
            return backend_.read(doing, std::move(look));
    }

    template <typename Found, typename Search>
    [[nodiscard]] result<Found> search(const row_query& query, Search search) {
        if (auto valid = validate(query); !valid) return std::unexpected{valid.error()};
        return search_backend("looking for rows", [&](auto& in) -> result<Found> {
            const auto stored = operation_life{in}.find(query.operation);
            if (!stored) return std::unexpected{stored.error()};
            return search(in.rows_of((*stored)->key));
        });
    }

    Backend backend_;
};

}  // namespace bulk
