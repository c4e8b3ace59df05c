// SPDX-License-Identifier: MIT
#pragma once

// What the functions of `bulk::service` do: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/service/error_groups.hpp>
#include <bulk/service/export_operation.hpp>
#include <bulk/service/intake.hpp>
#include <bulk/service/retention.hpp>
#include <bulk/service/retry_desk.hpp>
#include <bulk/service/service.hpp>
#include <bulk/service/service_core.hpp>
#include <bulk/service/signal_desk.hpp>
#include <bulk/service/subscriptions_implementation.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE service::service(catalog operations, any_storage storage, service_options options,
                             const read_options& reading, log_handler log)
    : core_{std::make_shared<service_core>(std::move(operations), std::move(storage),
                                           std::move(options), reading, nullptr, std::move(log))} {
    core_->start();
}

BULK_INLINE service::service(catalog operations, any_storage storage, service_options options,
                             const read_options& reading, given_executor jobs, log_handler log)
    : scheduled_{std::move(jobs.owned)},
      core_{std::make_shared<service_core>(std::move(operations), std::move(storage),
                                           std::move(options), reading, jobs.used,
                                           std::move(log))} {
    core_->start();
}

BULK_INLINE service::~service() {
    if (core_ != nullptr) core_->let_go();
}

BULK_INLINE result<operation_record> service::get(operation_id id) { return storage().get(id); }

BULK_INLINE result<page<operation_record>> service::query(const operation_query& query) {
    return storage().query(query);
}

BULK_INLINE result<operation_record> service::wait(operation_id id,
                                                   std::chrono::milliseconds time) {
    return core_->wait(id, time);
}

BULK_INLINE result<> service::cancel(operation_id id, std::string_view who) {
    auto asked = core_->change(id, "Cancel", who, [&](operation_record& record) -> result<> {
        if (auto active = check_active(record); !active) return active;
        record.cancel_requested = true;
        return {};
    });
    if (!asked) return asked;
    core_->cancel(id);
    return {};
}

BULK_INLINE result<> service::pause(operation_id id, std::string_view who) {
    auto asked = core_->change(id, "Pause", who, [&](operation_record& record) -> result<> {
        if (auto active = check_active(record); !active) return active;
        record.paused = true;
        return {};
    });
    if (asked) core_->pause(id);
    return asked;
}

BULK_INLINE result<> service::resume(operation_id id, std::string_view who) {
    auto asked = core_->change(id, "Resume", who, [&](operation_record& record) -> result<> {
        if (auto active = check_active(record); !active) return active;
        record.paused = false;
        return {};
    });
    if (asked) core_->begin_work(id);
    return asked;
}

BULK_INLINE result<> service::note(operation_id id, std::string_view what, std::string_view who) {
    return core_->note(id, what, who);
}

BULK_INLINE result<page<row_record>> service::query(const row_query& query) {
    return storage().query(query);
}

BULK_INLINE result<page<row_number>> service::row_numbers(const row_query& query) {
    return storage().row_numbers(query);
}

BULK_INLINE result<page<row_record>> service::errors(operation_id id, std::string after) {
    return storage().query(
        row_query{.operation = id, .errors_only = true, .after = std::move(after)});
}

BULK_INLINE result<std::vector<error_group>> service::error_groups(operation_id id) {
    return error_groups_of(storage(), id);
}

BULK_INLINE result<export_summary> service::export_rows(operation_id id,
                                                        const export_options& options,
                                                        const export_sink& sink) {
    return export_operation(operations(), storage(), id, options, core_->reading(), sink);
}

BULK_INLINE result<std::string> service::template_for(std::string_view name, export_format format) {
    return operations().template_for(name, format, core_->reading());
}

BULK_INLINE result<signal_receipt> service::signal(operation_id id, std::string key) {
    return send({.operation = id, .key = std::move(key)});
}

BULK_INLINE result<signal_receipt> service::signal(std::string_view full_key) {
    auto sent = parse_signal_key(full_key);
    if (!sent) return std::unexpected{std::move(sent).error()};
    return send(*sent);
}

BULK_INLINE result<signal_receipt> service::fail_signal(operation_id id, std::string key,
                                                        std::string message) {
    return send({.operation = id, .key = std::move(key), .failure = std::move(message)});
}

BULK_INLINE result<signal_receipt> service::fail_signal(std::string_view full_key,
                                                        std::string message) {
    auto sent = parse_signal_key(full_key);
    if (!sent) return std::unexpected{std::move(sent).error()};
    sent->failure = std::move(message);
    return send(*sent);
}

BULK_INLINE result<signal_receipt> service::signal_waiting(const bulk::signal& sent) {
    return send(sent, true);
}

BULK_INLINE bool service::try_signal(std::string_view full_key) {
    const auto sent = signal(full_key);
    return sent && !sent->is_kept;
}

BULK_INLINE bool service::try_signal_failure(std::string_view full_key, std::string message) {
    const auto sent = fail_signal(full_key, std::move(message));
    return sent && !sent->is_kept;
}

BULK_INLINE result<retry_eligibility> service::can_retry(operation_id id) {
    return desk().can_retry(id);
}

BULK_INLINE result<retry_answer> service::retry(operation_id id, const retry_filter& filter,
                                                std::string_view who) {
    if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
    auto answer = desk().retry(id, filter, core_->jobs().now(), who);
    if (answer && answer->submitted + answer->resumed > 0) core_->begin_work(id);
    return answer;
}

BULK_INLINE result<std::vector<row_number>> service::rows_of_group(operation_id id,
                                                                   const retry_filter& among,
                                                                   std::string_view pattern) {
    return bulk::rows_of_group(storage(), id, among, pattern);
}

BULK_INLINE result<page<retry_entry>> service::retry_history(const retry_history_query& query) {
    return storage().retry_history(query);
}

BULK_INLINE result<std::vector<event>> service::events(std::optional<operation_id> id,
                                                       std::optional<std::uint64_t> after,
                                                       std::uint32_t limit) {
    return storage().events(id, after, limit);
}

BULK_INLINE result<std::vector<event>> service::events(std::optional<std::uint64_t> after) {
    return events(std::nullopt, after, largest_page);
}

BULK_INLINE std::uint64_t service::subscribe(event_handler handler) {
    return core_->events().add(std::move(handler));
}

BULK_INLINE void service::unsubscribe(std::uint64_t number) { core_->events().remove(number); }

BULK_INLINE result<> service::add_channel(std::string name, notification_channel channel) {
    return core_->notifications().add(std::move(name), std::move(channel));
}

BULK_INLINE result<std::vector<stored_file>> service::files(std::string_view prefix,
                                                            const std::string& after,
                                                            std::uint32_t limit) {
    return storage().files(after, limit, prefix);
}

BULK_INLINE result<stored_file> service::file(const std::string& id) { return storage().file(id); }

BULK_INLINE result<byte_pull> service::open_file(const std::string& id, std::uint64_t offset) {
    return storage().open_file(id, offset);
}

BULK_INLINE result<> service::remove(operation_id id) { return retention{storage()}.remove(id); }

BULK_INLINE result<prune_report> service::prune(const prune_options& options) {
    return retention{storage()}.prune(options, core_->jobs().now());
}

BULK_INLINE result<> service::shutdown() { return core_->shutdown(); }

BULK_INLINE const catalog& service::operations() const { return core_->operations(); }

BULK_INLINE any_storage& service::storage() { return core_->storage(); }

BULK_INLINE const service_options& service::options() const { return core_->options(); }

BULK_INLINE result<> service::usable() const { return core_->usable(); }

BULK_INLINE timestamp service::now() const { return core_->jobs().now(); }

BULK_INLINE result<std::vector<worker_record>> service::workers() { return storage().workers(); }

BULK_INLINE service_metrics service::metrics() const { return core_->metrics(); }

BULK_INLINE result<taken_operation> service::take_in(std::string_view name, result<upload> file,
                                                     given_operation about) {
    if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
    if (!file) return std::unexpected{std::move(file).error()};
    auto record = prepare_operation(operations(), name, about);
    if (!record) return std::unexpected{std::move(record).error()};
    if (auto room = core_->wait_for_room(); !room) return std::unexpected{room.error()};
    auto& jobs = core_->jobs();
    record->source = core_->options().service_name;
    record->file_name = file->name;
    record->created_at = jobs.now();
    record->id = {make_uuid(record->created_at, jobs.random(), jobs.random())};
    const operation_id id = record->id;
    auto created = store_operation(operations(), core_->storage(), std::move(*record), *file,
                                   core_->options().max_file_size, about);
    if (!created) return std::unexpected{std::move(created).error()};
    core_->begin_work(created->id);
    const bool is_new = created->id == id;
    return taken_operation{std::move(*created), is_new};
}

BULK_INLINE result<dry_run_report> service::validate_given(std::string_view name,
                                                           result<upload> file,
                                                           const given_metadata& metadata) {
    if (!file) return std::unexpected{std::move(file).error()};
    const auto turn = core_->dry_runs().enter(core_->options().dry_run_wait);
    if (!turn)
        return fail(errc::timed_out,
                    concat("too many dry runs at once (", core_->options().max_dry_runs,
                           " are allowed); try again soon"));
    const auto known = operations().operation(name);
    if (!known) return std::unexpected{known.error()};
    const auto text = metadata_text(**known, metadata);
    if (!text) return std::unexpected{text.error()};
    return (*known)->dry_run(
        *text, std::move(file->bytes), file->name, core_->reading(),
        {.max_file_size = static_cast<std::uint64_t>(core_->options().max_file_size)});
}

BULK_INLINE result<> service::check_active(const operation_record& record) {
    if (!is_final(record.state)) return {};
    return fail(errc::illegal_transition, concat("operation ", to_text(record.id), " is ",
                                                 name_of(record.state), " already"));
}

BULK_INLINE result<signal_receipt> service::send(const bulk::signal& sent, bool is_awaited) {
    if (auto usable = core_->usable(); !usable) return std::unexpected{usable.error()};
    signal_desk desk{storage(), core_->options().early_signal_ttl};
    const timestamp now = core_->jobs().now();
    auto receipt = is_awaited ? desk.accept_awaited(sent, now) : desk.accept(sent, now);
    if (receipt && !receipt->is_kept) receipt->is_here = core_->check_signals(sent.operation);
    return receipt;
}

BULK_INLINE retry_desk service::desk() {
    return {operations(), storage(), core_->options().max_retry_attempts};
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
