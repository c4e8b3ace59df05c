// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
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
#include <bulk/core/uuid.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/engine/executor.hpp>
#include <bulk/engine/scheduler.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/service/dry_run.hpp>
#include <bulk/service/error_groups.hpp>
#include <bulk/service/export.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/intake.hpp>
#include <bulk/service/metrics.hpp>
#include <bulk/service/retention.hpp>
#include <bulk/service/retry_desk.hpp>
#include <bulk/service/service_core.hpp>
#include <bulk/service/signal_desk.hpp>
#include <bulk/service/template_text.hpp>
#include <bulk/service/upload.hpp>
#include <bulk/storage/concepts.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// Takes in files, runs the operations of a program on them, and answers for every row. When it goes,
/// it shuts down. Every function may be called from any thread.
template <typename Operations, storage Storage, typename Formats = decltype(formats<>)>
class service {
public:
    using operations_type = Operations;

    service(Operations, Storage storage, service_options options = {},
            const read_options& reading = {}, log_handler log = {})
        : core_{std::make_shared<core>(std::move(storage), std::move(options), reading, nullptr,
                                       std::move(log))} {
        core_->start();
    }

    /// On a scheduler of the caller's, which outlives the service: for tests, and for programs that
    /// have threads of their own.
    template <scheduler Scheduler>
    service(Operations, Storage storage, service_options options, const read_options& reading,
            Scheduler* jobs, log_handler log = {})
        : scheduled_{executor_on(*jobs)},
          core_{std::make_shared<core>(std::move(storage), std::move(options), reading,
                                       as_executor(jobs), std::move(log))} {
        core_->start();
    }
    service(service&&) noexcept = default;
    service& operator=(service&&) noexcept = default;
    ~service() {
        if (core_ != nullptr) core_->let_go();
    }

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
        if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
        if (!file) return std::unexpected{std::move(file).error()};
        auto record = prepare_operation<Operations>(name, about);
        if (!record) return std::unexpected{std::move(record).error()};
        if (auto room = core_->wait_for_room(); !room) return std::unexpected{room.error()};
        auto& jobs = core_->jobs();
        record->source = core_->options().service_name;
        record->file_name = file->name;
        record->created_at = jobs.now();
        record->id = {make_uuid(record->created_at, jobs.random(), jobs.random())};
        const operation_id id = record->id;
        auto created = store_operation<Operations>(core_->storage(), std::move(*record), *file,
                                                   core_->options().max_file_size, about);
        if (!created) return std::unexpected{std::move(created).error()};
        core_->begin_work(created->id);
        const bool is_new = created->id == id;
        return taken_operation{std::move(*created), is_new};
    }

    [[nodiscard]] result<operation_record> get(operation_id id) { return storage().get(id); }
    [[nodiscard]] result<page<operation_record>> query(const operation_query& query) {
        return storage().query(query);
    }

    /// Waits until an operation is at rest, whoever runs it; fails when it is not in time.
    [[nodiscard]] result<operation_record> wait(operation_id id,
                                                std::chrono::milliseconds time = std::chrono::hours{
                                                    24}) {
        return core_->wait(id, time);
    }

    /// Ends an operation: rows in flight finish and are recorded, the others stay unprocessed. `who`
    /// stands in its events, in the same transaction; so in those of `pause`, `resume` and `retry`.
    [[nodiscard]] result<> cancel(operation_id id, std::string_view who = {}) {
        auto asked = core_->change(id, "Cancel", who, [&](operation_record& record) -> result<> {
            if (auto active = check_active(record); !active) return active;
            record.cancel_requested = true;
            return {};
        });
        if (!asked) return asked;
        core_->cancel(id);
        return {};
    }

    /// Begins nothing new until `resume`; keeps everything.
    [[nodiscard]] result<> pause(operation_id id, std::string_view who = {}) {
        auto asked = core_->change(id, "Pause", who, [&](operation_record& record) -> result<> {
            if (auto active = check_active(record); !active) return active;
            record.paused = true;
            return {};
        });
        if (asked) core_->pause(id);
        return asked;
    }

    [[nodiscard]] result<> resume(operation_id id, std::string_view who = {}) {
        auto asked = core_->change(id, "Resume", who, [&](operation_record& record) -> result<> {
            if (auto active = check_active(record); !active) return active;
            record.paused = false;
            return {};
        });
        if (asked) core_->begin_work(id);
        return asked;
    }

    /// Says in the events of an operation who asked for what, for front doors that know it.
    [[nodiscard]] result<> note(operation_id id, std::string_view what, std::string_view who) {
        return core_->note(id, what, who);
    }

    // --- rows ------------------------------------------------------------------------------------

    [[nodiscard]] result<page<row_record>> query(const row_query& query) {
        return storage().query(query);
    }
    /// The rows that have a record which matches, each once.
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) {
        return storage().row_numbers(query);
    }
    /// Failed rows, one record each.
    [[nodiscard]] result<page<row_record>> errors(operation_id id, std::string after = {}) {
        return storage().query(
            row_query{.operation = id, .errors_only = true, .after = std::move(after)});
    }

    /// What went wrong, told apart by its kind: errors that differ in numbers and quoted text are one
    /// group, with its count, its first row and a sample.
    [[nodiscard]] result<std::vector<error_group>> error_groups(operation_id id) {
        return error_groups_of(storage(), id);
    }

    /// Writes the rows of an operation to `sink`, piece by piece: a report of what became of them, or
    /// the rows themselves, ready to be taken in again. Any number of rows in little memory.
    [[nodiscard]] result<export_summary> export_rows(operation_id id, const export_options& options,
                                                     const export_sink& sink) {
        return export_operation(Operations{}, storage(), id, options, core_->reading(), Formats{},
                                sink);
    }

    /// An empty file for an operation, to be filled in.
    [[nodiscard]] result<std::string> template_for(std::string_view name,
                                                   export_format format = export_format::csv) {
        std::string text;
        auto known = Operations::visit(name, [&]<typename Op>(std::type_identity<Op>) {
            text = template_text<Op>(format, core_->reading());
        });
        if (!known) return std::unexpected{std::move(known).error()};
        return text;
    }

    /// What `create` and the run would say of a file before the first step, for every row; nothing is
    /// run, and nothing is stored. A few at a time, since each needs memory: fails with
    /// `errc::timed_out` when no turn comes within `dry_run_wait`.
    template <typename Metadata = std::string>
    [[nodiscard]] result<dry_run_report> validate(std::string_view name, result<upload> file,
                                                  const Metadata& metadata = {}) {
        if (!file) return std::unexpected{std::move(file).error()};
        const auto turn = core_->dry_runs().enter(core_->options().dry_run_wait);
        if (!turn)
            return fail(errc::timed_out,
                        concat("too many dry runs at once (", core_->options().max_dry_runs,
                               " are allowed); try again soon"));
        result<dry_run_report> report;
        auto known = Operations::visit(name, [&]<typename Op>(std::type_identity<Op>) {
            const dry_run_options options{
                .max_file_size = static_cast<std::uint64_t>(core_->options().max_file_size)};
            auto text = metadata_text<Op>(metadata);
            if (text)
                report = dry_run<Op>(*text, std::move(file->bytes), file->name, core_->reading(),
                                     Formats{}, options);
            else
                report = std::unexpected{std::move(text).error()};
        });
        if (!known) return std::unexpected{std::move(known).error()};
        return report;
    }

    // --- signals ---------------------------------------------------------------------------------

    /// Completes the step of a row that waits, or fails it: what the functions below say in words.
    [[nodiscard]] result<signal_receipt> signal(const bulk::signal& sent) { return send(sent); }
    /// Completes the step of the row that has waited longest for this key. When none waits, the
    /// signal is kept for the next that does; the answer says which of the two.
    [[nodiscard]] result<signal_receipt> signal(operation_id id, std::string key) {
        return send({.operation = id, .key = std::move(key)});
    }
    /// The same for one row, by the full key: `operation:key:row`.
    [[nodiscard]] result<signal_receipt> signal(std::string_view full_key) {
        auto sent = parse_signal_key(full_key);
        if (!sent) return std::unexpected{std::move(sent).error()};
        return send(*sent);
    }
    /// Fails the step instead, with what is said here.
    [[nodiscard]] result<signal_receipt> fail_signal(operation_id id, std::string key,
                                                     std::string message) {
        return send({.operation = id, .key = std::move(key), .failure = std::move(message)});
    }
    [[nodiscard]] result<signal_receipt> fail_signal(std::string_view full_key,
                                                     std::string message) {
        auto sent = parse_signal_key(full_key);
        if (!sent) return std::unexpected{std::move(sent).error()};
        sent->failure = std::move(message);
        return send(*sent);
    }
    /// Completes or fails the step of a row that waits now. When no row waits, the answer is
    /// `errc::not_found` and nothing is kept.
    [[nodiscard]] result<signal_receipt> signal_waiting(const bulk::signal& sent) {
        return send(sent, true);
    }
    /// `signal` and `fail_signal`, for those who only want to know whether a row was waiting.
    bool try_signal(std::string_view full_key) {
        const auto sent = signal(full_key);
        return sent && !sent->is_kept;
    }
    bool try_signal_failure(std::string_view full_key, std::string message) {
        const auto sent = fail_signal(full_key, std::move(message));
        return sent && !sent->is_kept;
    }

    // --- retries ---------------------------------------------------------------------------------

    [[nodiscard]] result<retry_eligibility> can_retry(operation_id id) {
        return desk().can_retry(id);
    }
    /// Tries failed rows again, from the step at which they failed on; without a filter all of them.
    /// Rows that an operation had not come to when it was cancelled or failed are tried, too.
    [[nodiscard]] result<retry_answer> retry(operation_id id, const retry_filter& filter = {},
                                             std::string_view who = {}) {
        if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
        auto answer = desk().retry(id, filter, core_->jobs().now(), who);
        if (answer && answer->submitted + answer->resumed > 0) core_->begin_work(id);
        return answer;
    }
    /// How rows had failed before they were tried again.
    [[nodiscard]] result<page<retry_entry>> retry_history(const retry_history_query& query) {
        return storage().retry_history(query);
    }

    // --- events ----------------------------------------------------------------------------------

    [[nodiscard]] result<std::vector<event>> events(std::optional<operation_id> id,
                                                    std::optional<std::uint64_t> after = {},
                                                    std::uint32_t limit = 100) {
        return storage().events(id, after, limit);
    }
    /// Calls the handler for everything that happens from now on, until `unsubscribe`.
    [[nodiscard]] std::uint64_t subscribe(event_handler handler) {
        return core_->events().add(std::move(handler));
    }
    void unsubscribe(std::uint64_t number) { core_->events().remove(number); }

    /// A way to tell people what becomes of their operations, from now on.
    [[nodiscard]] result<> add_channel(std::string name, notification_channel channel) {
        return core_->notifications().add(std::move(name), std::move(channel));
    }

    // --- files -----------------------------------------------------------------------------------

    /// Uploaded files whose name begins with `prefix` (case-sensitive; empty: all), oldest first, behind
    /// the one with the id `after`; fewer than `limit` only at the end.
    [[nodiscard]] result<std::vector<stored_file>> files(std::string_view prefix = {},
                                                         const std::string& after = {},
                                                         std::uint32_t limit = 100) {
        return storage().files(after, limit, prefix);
    }

    // --- the end of operations --------------------------------------------------------------------

    /// Removes one that has ended: its records, its events and its file.
    [[nodiscard]] result<> remove(operation_id id) {
        return retention<Storage>{storage()}.remove(id);
    }
    /// Removes those that ended long ago.
    [[nodiscard]] result<prune_report> prune(const prune_options& options) {
        return retention<Storage>{storage()}.prune(options, core_->jobs().now());
    }

    // --- the service itself ----------------------------------------------------------------------

    /// Takes nothing new, lets rows in flight finish, records them and gives the operations back:
    /// the next start goes on with them. Fails when rows do not finish in time.
    [[nodiscard]] result<> shutdown() { return core_->shutdown(); }
    [[nodiscard]] Storage& storage() { return core_->storage(); }
    [[nodiscard]] const service_options& options() const { return core_->options(); }
    /// Whether it takes anything in: its options are right, and nobody has shut it down.
    [[nodiscard]] result<> usable() const { return core_->usable(); }
    /// By the clock that dates its records.
    [[nodiscard]] timestamp now() const { return core_->jobs().now(); }
    /// Who works on this storage, in any process, as they have last said.
    [[nodiscard]] result<std::vector<worker_record>> workers() { return storage().workers(); }
    /// What was counted since the service began.
    [[nodiscard]] service_metrics metrics() const { return core_->metrics(); }

private:
    using core = service_core<Operations, Storage, std::remove_const_t<Formats>>;

    [[nodiscard]] static result<> check_active(const operation_record& record) {
        if (!is_final(record.state)) return {};
        return fail(errc::illegal_transition, concat("operation ", to_text(record.id), " is ",
                                                     name_of(record.state), " already"));
    }

    [[nodiscard]] result<signal_receipt> send(const bulk::signal& sent, bool is_awaited = false) {
        if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
        signal_desk desk{storage(), core_->options().early_signal_ttl};
        const timestamp now = core_->jobs().now();
        auto receipt = is_awaited ? desk.accept_awaited(sent, now) : desk.accept(sent, now);
        if (receipt && !receipt->is_kept) receipt->is_here = core_->check_signals(sent.operation);
        return receipt;
    }

    [[nodiscard]] retry_desk<Operations, Storage> desk() {
        return {storage(), core_->options().max_retry_attempts};
    }

    template <typename Scheduler>
    [[nodiscard]] executor* as_executor(Scheduler* jobs) {
        if constexpr (std::derived_from<Scheduler, executor>)
            return jobs;
        else
            return scheduled_.get();
    }

    std::unique_ptr<executor> scheduled_;  ///< around the caller's scheduler, if it is no executor
    std::shared_ptr<core> core_;
};

template <typename Operations, typename Storage, typename... Rest>
service(Operations, Storage, Rest...) -> service<Operations, Storage>;

}  // namespace bulk
