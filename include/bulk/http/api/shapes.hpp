// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/pace.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/any_service.hpp>
#include <bulk/service/row_standing.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bulk::http::api {

// What the schemas of the same names say, from what is stored. `about` is none when the program does
// not know the operation any more.

[[nodiscard]] inline std::string step_text(const operation_description* about, step_index step) {
    if (step == validation_step) return "validation";
    const std::string_view name = about == nullptr ? std::string_view{} : about->step_name(step);
    return name.empty() ? concat("step ", to_number(step) + 1) : std::string{name};
}

[[nodiscard]] inline const operation_description* description_of(const any_service& service,
                                                                 std::string_view name) {
    const auto found = service.find(name);
    return found ? *found : nullptr;
}

[[nodiscard]] inline json_object row_counts(const operation_record& of) {
    json_object rows;
    rows.add("total", of.validated ? std::optional{of.rows.total} : std::nullopt)
        .add("processed", of.rows.processed)
        .add("succeeded", of.rows.successful)
        .add("failed", of.rows.failed)
        .add("unprocessed", unprocessed(of.rows));
    return rows;
}

[[nodiscard]] inline json_object operation_links(const operation_record& of) {
    const std::string self = concat("/api/v1/operations/", to_text(of.id));
    json_object links;
    links.add("self", self);
    for (const std::string_view each : {"status", "rows", "errors", "events", "file", "export"})
        links.add(each, concat(self, '/', each));
    return links;
}

/// The steps that it was begun with, or those that it would begin with.
[[nodiscard]] inline json_array operation_steps(const operation_record& of,
                                                const operation_description* about) {
    json_array steps;
    int index = 0;
    const auto add = [&](std::string_view name) {
        std::optional<step_kind> kind;
        if (about != nullptr)
            for (const auto& each : about->steps)
                if (each.name == name) kind = each.kind;
        steps.add(json_object{}.add("index", index++).add("name", name).add("kind", kind));
    };
    for (const auto& each : of.steps) add(each);
    if (of.steps.empty() && about != nullptr)
        for (const auto& each : about->steps) add(each.name);
    return steps;
}

/// Metadata with what is personal hidden; none when it cannot be told what is.
[[nodiscard]] inline std::string shown_metadata(const operation_record& of, any_service& service) {
    auto shown = service.same_metadata(of.name, of.metadata, false);
    return shown ? std::move(*shown) : std::string{};
}

[[nodiscard]] inline json_object operation_json(const operation_record& of, any_service& service,
                                                pace& speed) {
    const auto* about = description_of(service, of.name);
    const auto rate = speed.rate(of, service.now());
    json_object shape;
    shape.add("id", to_text(of.id))
        .add("type", of.name)
        .add("state", of.state)
        .add("paused", of.paused)
        .add("cancel_requested", of.cancel_requested)
        .add("file", json_object{}
                         .add_text("id", of.file_id)
                         .add("name", of.file_name)
                         .add("size", of.file_size))
        .add_raw("metadata", shown_metadata(of, service))
        .add_text("created_by", of.created_by)
        .add_text("source", of.source)
        .add_text("idempotency_key", of.idempotency_key)
        .add("rows", row_counts(of))
        .add("percent", percent(of.rows))
        .add("rate", rate)
        .add("eta", eta_of(of, rate))
        .add("retry_count", of.retry_count)
        .add_text("error", of.error_message)
        .add("created_at", of.created_at)
        .add("started_at", of.started_at)
        .add("run_started_at", of.run_started_at)
        .add("completed_at", of.completed_at)
        .add("version", of.version)
        .add("steps", operation_steps(of, about))
        .add("links", operation_links(of));
    return shape;
}

[[nodiscard]] inline json_object status_json(const operation_record& of, timestamp now,
                                             pace& speed) {
    const auto rate = speed.rate(of, now);
    json_object shape;
    shape.add("id", to_text(of.id))
        .add("state", of.state)
        .add("paused", of.paused)
        .add("cancel_requested", of.cancel_requested)
        .add("rows", row_counts(of))
        .add("percent", percent(of.rows))
        .add("rate", rate)
        .add("eta", eta_of(of, rate))
        .add_text("error", of.error_message)
        .add("version", of.version);
    return shape;
}

[[nodiscard]] inline json_object step_record_json(const row_record& record,
                                                  const operation_description* about) {
    json_object shape;
    shape.add("step", step_text(about, record.step))
        .add("step_index", to_number(record.step))
        .add("state", record.state)
        .add("attempt", record.attempt)
        .add("retry_attempt", record.retry_attempt)
        .add("failure", record.failure)
        .add_text("error", record.error_message)
        .add_text("signal_key", record.signal_key)
        .add("started_at", record.started_at)
        .add("completed_at", record.completed_at)
        .add("wait_until", record.wait_until);
    return shape;
}

/// From the records of one row, in the order of steps.
[[nodiscard]] inline json_object row_json(std::span<const row_record> records,
                                          const row_standing& standing,
                                          const operation_description* about) {
    std::string row_id;
    for (const auto& each : records)
        if (!each.row_id.empty()) row_id = each.row_id;
    const auto* last = standing.last;
    json_object shape;
    shape.add("row", last == nullptr ? 0 : to_number(last->row))
        .add_text("row_id", row_id)
        .add("state", standing.state)
        .add_text("step", last == nullptr ? std::string{} : step_text(about, last->step))
        .add("step_index", last == nullptr ? std::nullopt : std::optional{to_number(last->step)})
        .add_text("error", last == nullptr ? std::string_view{} : last->error_message)
        .add("failure", last == nullptr ? std::nullopt : last->failure)
        .add_raw("data", tracked_data(records))
        .add("steps", json_list(records, [&](const row_record& each) {
                 return step_record_json(each, about);
             }));
    return shape;
}

[[nodiscard]] inline json_object row_error_json(const row_record& record,
                                                const operation_description* about) {
    json_object shape;
    shape.add("row", to_number(record.row))
        .add_text("row_id", record.row_id)
        .add("step", step_text(about, record.step))
        .add("step_index", to_number(record.step))
        .add("failure", record.failure)
        .add_text("error", record.error_message)
        .add("state", record.state)
        .add("attempt", record.attempt)
        .add("retry_attempt", record.retry_attempt)
        .add("completed_at", record.completed_at)
        .add_raw("data", record.row_data);
    return shape;
}

[[nodiscard]] inline json_object error_group_json(const error_group& group,
                                                  const operation_description* about) {
    json_object shape;
    shape.add("count", group.count)
        .add("step", step_text(about, group.step))
        .add("step_index", to_number(group.step))
        .add("failure", group.failure)
        .add("pattern", group.pattern)
        .add("sample", group.sample)
        .add("first_row", to_number(group.first_row));
    return shape;
}

[[nodiscard]] inline json_object row_counts(const event_outcome& of) {
    json_object rows;
    rows.add("total", of.total)
        .add("processed", of.processed)
        .add("succeeded", of.successful)
        .add("failed", of.failed)
        .add("unprocessed", of.unprocessed());
    return rows;
}

[[nodiscard]] inline json_object event_json(const event& each) {
    const bool is_run = is_of_run(each.kind);
    const std::string id = to_text(each.operation);
    const event_creation created = each.created ? *each.created : event_creation{};
    std::optional<std::int64_t> duration_ms;
    if (each.ended)
        duration_ms = std::chrono::floor<std::chrono::milliseconds>(each.ended->duration).count();
    json_object shape;
    shape.add("sequence", each.sequence)
        .add("kind", each.kind)
        .add("level", each.level)
        .add_text("operation", is_run ? std::string_view{} : id)
        .add_text("run", is_run ? id : std::string_view{})
        .add("name", each.operation_name)
        .add("state", is_run ? std::nullopt : std::optional{each.state})
        .add("previous", each.previous)
        .add("row", each.row ? std::optional{to_number(*each.row)} : std::nullopt)
        .add("failure", each.failure)
        .add("message", each.message)
        .add("time", each.time)
        .add_text("error", each.error_message())
        .add_text("created_by", created.created_by)
        .add_text("file_name", created.file_name)
        .add_raw("metadata", created.metadata)
        .add_raw("rows", each.ended ? row_counts(*each.ended).json() : std::string{})
        .add("duration_ms", duration_ms);
    return shape;
}

[[nodiscard]] inline json_object retry_entry_json(const retry_entry& entry,
                                                  const operation_description* about) {
    json_object shape;
    shape.add("row", to_number(entry.row))
        .add("step", step_text(about, entry.step))
        .add("step_index", to_number(entry.step))
        .add("retry_attempt", entry.retry_attempt)
        .add("failure", entry.failure)
        .add_text("error", entry.error_message)
        .add("failed_at", entry.failed_at)
        .add_raw("data", entry.row_data);
    return shape;
}

/// A page of anything; the total is none when nobody has counted.
[[nodiscard]] inline std::string list_json(const json_array& items, std::string_view next,
                                           std::optional<std::uint64_t> total) {
    return json_object{}.add("items", items).add_text("next", next).add("total", total).json();
}

}  // namespace bulk::http::api
