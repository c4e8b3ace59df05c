// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/log.hpp>
#include <bulk/core/notification.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/scheduler.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/catalog.hpp>
#include <bulk/service/dry_run_report.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/given_operation.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/prune_options.hpp>
#include <bulk/service/retry_answer.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/any_storage.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

class retry_desk;
class service_core;

/// Takes in files, runs the operations of a program on them, and answers for every row. When it goes,
/// it shuts down. Every function may be called from any thread.
class service {
public:
    /// `operations` is `bulk::operations<...>`, or a `bulk::catalog` with formats of the caller's.
    service(catalog operations, any_storage storage, service_options options = {},
            const read_options& reading = {}, log_handler log = {});

    /// On a scheduler of the caller's, which outlives the service: for tests, and for programs that
    /// have threads of their own.
    template <scheduler Scheduler>
    service(catalog operations, any_storage storage, service_options options,
            const read_options& reading, Scheduler* jobs, log_handler log = {})
        : service{std::move(operations), std::move(storage), std::move(options), reading,
                  given_executor{jobs},  std::move(log)} {}
    service(service&&) noexcept = default;
    service& operator=(service&&) noexcept = default;
    ~service();

    // --- operations ------------------------------------------------------------------------------

    /// Takes a file in and begins with it as soon as a worker is free. Refuses at once what can be
    /// refused: an unknown operation, metadata that cannot be read, a file that is too large; then
    /// nothing is kept.
    template <typename Metadata = std::string>
    [[nodiscard]] result<operation_id> create(std::string_view name, result<upload> file,
                                              const create_options<Metadata>& about = {}) {
        auto taken = take_in(name, std::move(file), about);
        if (!taken) return std::unexpected{std::move(taken).error()};
        return taken->record.id;
    }
    /// The same for those who want to know whether its idempotency key was seen before.
    template <typename Metadata = std::string>
    [[nodiscard]] result<taken_operation> take_in(std::string_view name, result<upload> file,
                                                  const create_options<Metadata>& about = {}) {
        return take_in(name, std::move(file), as_given(about));
    }

    [[nodiscard]] result<operation_record> get(operation_id id);
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query);

    /// Waits until an operation is at rest, whoever runs it; fails when it is not in time.
    [[nodiscard]] result<operation_record> wait(operation_id id,
                                                std::chrono::milliseconds time = std::chrono::hours{
                                                    24});

    /// Ends an operation: rows in flight finish and are recorded, the others stay unprocessed. `who`
    /// stands in its events, in the same transaction; so in those of `pause`, `resume` and `retry`.
    [[nodiscard]] result<> cancel(operation_id id, std::string_view who = {});

    /// Begins nothing new until `resume`; keeps everything.
    [[nodiscard]] result<> pause(operation_id id, std::string_view who = {});

    [[nodiscard]] result<> resume(operation_id id, std::string_view who = {});

    /// Says in the events of an operation who asked for what, for front doors that know it.
    [[nodiscard]] result<> note(operation_id id, std::string_view what, std::string_view who);

    // --- rows ------------------------------------------------------------------------------------

    [[nodiscard]] result<page<row_record>> query(const row_query& query);
    /// The rows that have a record which matches, each once.
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query);
    /// Failed rows, one record each.
    [[nodiscard]] result<page<row_record>> errors(operation_id id, std::string after = {});

    /// What went wrong, told apart by its kind: errors that differ in numbers and quoted text are one
    /// group, with its count, its first row and a sample.
    [[nodiscard]] result<std::vector<error_group>> error_groups(operation_id id);

    /// Writes the rows of an operation to `sink`, piece by piece: a report of what became of them, or
    /// the rows themselves, ready to be taken in again. Any number of rows in little memory.
    [[nodiscard]] result<export_summary> export_rows(operation_id id, const export_options& options,
                                                     const export_sink& sink);

    /// An empty file for an operation, to be filled in.
    [[nodiscard]] result<std::string> template_for(std::string_view name,
                                                   export_format format = export_format::csv);

    /// What `create` and the run would say of a file before the first step, for every row; nothing is
    /// run, and nothing is stored. A few at a time, since each needs memory: fails with
    /// `errc::timed_out` when no turn comes within `dry_run_wait`.
    template <typename Metadata = std::string>
    [[nodiscard]] result<dry_run_report> validate(std::string_view name, result<upload> file,
                                                  const Metadata& metadata = {}) {
        return validate_given(name, std::move(file), as_given(metadata));
    }

    // --- signals ---------------------------------------------------------------------------------

    /// Completes the step of a row that waits, or fails it: what the functions below say in words.
    [[nodiscard]] result<signal_receipt> signal(const bulk::signal& sent) { return send(sent); }
    /// Completes the step of the row that has waited longest for this key. When none waits, the
    /// signal is kept for the next that does; the answer says which of the two.
    [[nodiscard]] result<signal_receipt> signal(operation_id id, std::string key);
    /// The same for one row, by the full key: `operation:key:row`.
    [[nodiscard]] result<signal_receipt> signal(std::string_view full_key);
    /// Fails the step instead, with what is said here.
    [[nodiscard]] result<signal_receipt> fail_signal(operation_id id, std::string key,
                                                     std::string message);
    [[nodiscard]] result<signal_receipt> fail_signal(std::string_view full_key,
                                                     std::string message);
    /// Completes or fails the step of a row that waits now. When no row waits, the answer is
    /// `errc::not_found` and nothing is kept.
    [[nodiscard]] result<signal_receipt> signal_waiting(const bulk::signal& sent);
    /// `signal` and `fail_signal`, for those who only want to know whether a row was waiting.
    bool try_signal(std::string_view full_key);
    bool try_signal_failure(std::string_view full_key, std::string message);

    // --- retries ---------------------------------------------------------------------------------

    [[nodiscard]] result<retry_eligibility> can_retry(operation_id id);
    /// Tries failed rows again, from the step at which they failed on; without a filter all of them.
    /// Rows that an operation had not come to when it was cancelled or failed are tried, too.
    [[nodiscard]] result<retry_answer> retry(operation_id id, const retry_filter& filter = {},
                                             std::string_view who = {});
    /// The failed rows of an error group, among those that a filter takes, to be retried. None is an
    /// error: an empty list of rows would retry nothing.
    [[nodiscard]] result<std::vector<row_number>> rows_of_group(operation_id id,
                                                                const retry_filter& among,
                                                                std::string_view pattern);
    /// How rows had failed before they were tried again.
    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query);

    // --- events ----------------------------------------------------------------------------------

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100);
    [[nodiscard]] result<std::vector<event>> events(std::optional<std::uint64_t> after);
    /// Calls the handler for everything that happens from now on, until `unsubscribe`.
    [[nodiscard]] std::uint64_t subscribe(event_handler handler);
    void unsubscribe(std::uint64_t number);

    /// A way to tell people what becomes of their operations, from now on.
    [[nodiscard]] result<> add_channel(std::string name, notification_channel channel);

    // --- files -----------------------------------------------------------------------------------

    /// Uploaded files whose name begins with `prefix` (case-sensitive; empty: all), oldest first, behind
    /// the one with the id `after`; fewer than `limit` only at the end.
    [[nodiscard]] result<std::vector<stored_file>> files(std::string_view prefix = {},
                                                         const std::string& after = {},
                                                         std::uint32_t limit = 100);

    [[nodiscard]] result<stored_file> file(const std::string& id);
    [[nodiscard]] result<byte_pull> open_file(const std::string& id, std::uint64_t offset);

    // --- the end of operations --------------------------------------------------------------------

    /// Removes one that has ended: its records, its events and its file.
    [[nodiscard]] result<> remove(operation_id id);
    /// Removes those that ended long ago.
    [[nodiscard]] result<prune_report> prune(const prune_options& options);

    // --- the service itself ----------------------------------------------------------------------

    /// Takes nothing new, lets rows in flight finish, records them and gives the operations back:
    /// the next start goes on with them. Fails when rows do not finish in time.
    [[nodiscard]] result<> shutdown();
    /// The operations of the program.
    [[nodiscard]] const catalog& operations() const;
    [[nodiscard]] any_storage& storage();
    [[nodiscard]] const service_options& options() const;
    /// Whether it takes anything in: its options are right, and nobody has shut it down.
    [[nodiscard]] result<> usable() const;
    /// By the clock that dates its records.
    [[nodiscard]] timestamp now() const;
    /// Who works on this storage, in any process, as they have last said.
    [[nodiscard]] result<std::vector<worker_record>> workers();
    /// What was counted since the service began.
    [[nodiscard]] service_metrics metrics() const;

private:
    /// An executor of the caller's, or one around a scheduler of the caller's.
    struct given_executor {
        template <scheduler Scheduler>
        explicit given_executor(Scheduler* jobs) {
            if constexpr (std::derived_from<Scheduler, executor>)
                used = jobs;
            else
                used = (owned = executor_on(*jobs)).get();
        }
        std::unique_ptr<executor> owned{};
        executor* used = nullptr;
    };

    service(catalog operations, any_storage storage, service_options options,
            const read_options& reading, given_executor jobs, log_handler log);

    [[nodiscard]] result<taken_operation> take_in(std::string_view name, result<upload> file,
                                                  given_operation about);

    [[nodiscard]] result<dry_run_report> validate_given(std::string_view name, result<upload> file,
                                                        const given_metadata& metadata);

    [[nodiscard]] static result<> check_active(const operation_record& record);

    [[nodiscard]] result<signal_receipt> send(const bulk::signal& sent, bool is_awaited = false);

    [[nodiscard]] retry_desk desk();

    std::unique_ptr<executor> scheduled_;  ///< around the caller's scheduler, if it is no executor
    std::shared_ptr<service_core> core_;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/service/implementation.hpp>
#endif
