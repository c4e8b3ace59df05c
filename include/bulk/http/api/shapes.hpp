// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/http/api/bodies/event.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/retry.hpp>
#include <bulk/http/api/bodies/row.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/operation_rates.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/row_standing.hpp>
#include <bulk/service/service.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

// The bodies of the same names, from what is stored. `about` is none when the program does not know the
// operation any more.

[[nodiscard]] inline const operation_description* description_of(const bulk::service& service,
                                                                 std::string_view name) {
    const auto found = service.operations().find(name);
    return found ? *found : nullptr;
}

[[nodiscard]] inline bodies::row_counts row_counts_of(const operation_record& of) {
    return {.total = of.validated ? std::optional{of.rows.total} : std::nullopt,
            .processed = of.rows.processed,
            .succeeded = of.rows.successful,
            .failed = of.rows.failed,
            .unprocessed = unprocessed(of.rows)};
}

[[nodiscard]] inline bodies::object_text operation_links(const operation_record& of) {
    const std::string self = concat("/api/v1/operations/", to_text(of.id));
    json_object links;
    links.add("self", self);
    for (const std::string_view each : {"status", "rows", "errors", "events", "file", "export"})
        links.add(each, concat(self, '/', each));
    return {links.json()};
}

/// The steps that it was begun with, or those that it would begin with.
[[nodiscard]] inline std::vector<bodies::step_name> operation_steps(
    const operation_record& of, const operation_description* about) {
    std::vector<bodies::step_name> steps;
    const auto add = [&](std::string_view name) {
        std::optional<step_kind> kind;
        if (about != nullptr)
            for (const auto& each : about->steps)
                if (each.name == name) kind = each.kind;
        steps.push_back({static_cast<std::int32_t>(steps.size()), std::string{name}, kind});
    };
    for (const auto& each : of.steps) add(each);
    if (of.steps.empty() && about != nullptr)
        for (const auto& each : about->steps) add(each.name);
    return steps;
}

/// Metadata with what is personal hidden; none when it cannot be told what is.
[[nodiscard]] inline std::string shown_metadata(const operation_record& of,
                                                bulk::service& service) {
    auto shown = service.operations().same_metadata(of.name, of.metadata, false);
    return shown ? std::move(*shown) : std::string{};
}

[[nodiscard]] inline bodies::operation operation_body(const operation_record& of,
                                                      bulk::service& service,
                                                      operation_rates& rates) {
    const auto rate = rates.rate(of, service.now());
    return {.id = of.id.value,
            .type = of.name,
            .state = of.state,
            .paused = of.paused,
            .cancel_requested = of.cancel_requested,
            .file = {bodies::given(of.file_id), of.file_name, of.file_size},
            .metadata = bodies::given_object(shown_metadata(of, service)),
            .created_by = bodies::given(of.created_by),
            .source = bodies::given(of.source),
            .idempotency_key = bodies::given(of.idempotency_key),
            .rows = row_counts_of(of),
            .percent = percent(of.rows),
            .rate = rate,
            .eta = eta_of(of, rate),
            .retry_count = of.retry_count,
            .error = bodies::given(of.error_message),
            .created_at = of.created_at,
            .started_at = of.started_at,
            .run_started_at = of.run_started_at,
            .completed_at = of.completed_at,
            .version = of.version,
            .steps = operation_steps(of, description_of(service, of.name)),
            .links = operation_links(of)};
}

[[nodiscard]] inline bodies::status status_body(const operation_record& of, timestamp now,
                                                operation_rates& rates) {
    const auto rate = rates.rate(of, now);
    return {.id = of.id.value,
            .state = of.state,
            .paused = of.paused,
            .cancel_requested = of.cancel_requested,
            .rows = row_counts_of(of),
            .percent = percent(of.rows),
            .rate = rate,
            .eta = eta_of(of, rate),
            .error = bodies::given(of.error_message),
            .version = of.version};
}

[[nodiscard]] inline bodies::step_record step_record_body(const row_record& record,
                                                          const operation_description* about) {
    return {.step = step_text(about, record.step),
            .step_index = to_number(record.step),
            .state = record.state,
            .attempt = record.attempt,
            .retry_attempt = record.retry_attempt,
            .failure = record.failure,
            .error = bodies::given(record.error_message),
            .signal_key = bodies::given(record.signal_key),
            .started_at = record.started_at,
            .completed_at = record.completed_at,
            .wait_until = record.wait_until};
}

/// From the records of one row, in the order of steps.
[[nodiscard]] inline bodies::row row_body(std::span<const row_record> records,
                                          const row_standing& standing,
                                          const operation_description* about) {
    bodies::row body{.state = standing.state, .data = bodies::given_object(tracked_data(records))};
    for (const auto& each : records) {
        if (!each.row_id.empty()) body.row_id = each.row_id;
        body.steps.push_back(step_record_body(each, about));
    }
    if (const auto* last = standing.last; last != nullptr) {
        body.row = to_number(last->row);
        body.step = step_text(about, last->step);
        body.step_index = to_number(last->step);
        body.error = bodies::given(last->error_message);
        body.failure = last->failure;
    }
    return body;
}

[[nodiscard]] inline bodies::row_error row_error_body(const row_record& record,
                                                      const operation_description* about) {
    return {.row = to_number(record.row),
            .row_id = bodies::given(record.row_id),
            .step = step_text(about, record.step),
            .step_index = to_number(record.step),
            .failure = record.failure,
            .error = bodies::given(record.error_message),
            .state = record.state,
            .attempt = record.attempt,
            .retry_attempt = record.retry_attempt,
            .completed_at = record.completed_at,
            .data = bodies::given_object(record.row_data)};
}

[[nodiscard]] inline bodies::error_group error_group_body(const error_group& group,
                                                          const operation_description* about) {
    return {.count = group.count,
            .step = step_text(about, group.step),
            .step_index = to_number(group.step),
            .failure = group.failure,
            .pattern = group.pattern,
            .sample = group.sample,
            .first_row = to_number(group.first_row)};
}

[[nodiscard]] inline bodies::event event_body(const event& each) {
    using namespace std::chrono;
    const bool is_run = is_of_run(each.kind);
    const auto id = std::optional{each.operation.value};
    bodies::event body{.sequence = each.sequence,
                       .kind = each.kind,
                       .level = each.level,
                       .operation = is_run ? std::nullopt : id,
                       .run = is_run ? id : std::nullopt,
                       .name = each.operation_name,
                       .state = is_run ? std::nullopt : std::optional{each.state},
                       .previous = each.previous,
                       .row = each.row ? std::optional{to_number(*each.row)} : std::nullopt,
                       .failure = each.failure,
                       .message = each.message,
                       .time = each.time,
                       .error = bodies::given(each.error_message())};
    if (each.created) {
        body.created_by = bodies::given(each.created->created_by);
        body.file_name = bodies::given(each.created->file_name);
        body.metadata = bodies::given_object(each.created->metadata);
    }
    if (each.ended) {
        const auto& of = *each.ended;
        body.rows = {of.total, of.processed, of.successful, of.failed, of.unprocessed()};
        body.duration_ms = floor<milliseconds>(of.duration).count();
    }
    return body;
}

[[nodiscard]] inline bodies::retry_entry retry_entry_body(const retry_entry& entry,
                                                          const operation_description* about) {
    return {.row = to_number(entry.row),
            .step = step_text(about, entry.step),
            .step_index = to_number(entry.step),
            .retry_attempt = entry.retry_attempt,
            .failure = entry.failure,
            .error = bodies::given(entry.error_message),
            .failed_at = entry.failed_at,
            .data = bodies::given_object(entry.row_data)};
}

/// 200 with a page of bodies.
template <described_struct Body>
[[nodiscard]] response list_response(std::vector<Body> items, std::string_view next,
                                     std::optional<std::uint64_t> total) {
    return json_response(
        200,
        bodies::list<Body>{.items = std::move(items), .next = bodies::given(next), .total = total});
}
/// 200 with all there are.
template <described_struct Body>
[[nodiscard]] response list_response(std::vector<Body> items) {
    const std::uint64_t total = items.size();
    return list_response(std::move(items), {}, total);
}

}  // namespace bulk::http::api
