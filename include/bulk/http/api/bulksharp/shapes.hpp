// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/ids.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/bulksharp/texts.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/row_standing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api::bulksharp {

// The bodies of BulkSharp's routes, each from what we store.

/// Its names of what a field holds. Only value types are nullable by a `?` there, so text never is.
[[nodiscard]] inline std::string type_name(std::string_view ours, bool is_nullable) {
    constexpr std::pair<std::string_view, std::string_view> names[]{
        {"text", "string"}, {"int8", "sbyte"}, {"uint8", "byte"},   {"int32", "int"},
        {"int64", "long"},  {"uuid", "guid"},  {"date", "dateonly"}};
    for (const auto& [name, theirs] : names)
        if (name == ours) ours = theirs;
    return concat(ours, is_nullable && ours != "string" ? "?" : "");
}

template <typename Fields>
[[nodiscard]] std::vector<bodies::operation_field> operation_fields(const Fields& all) {
    return bodies_of(all, [](const auto& each) {
        return bodies::operation_field{std::string{each.name}, type_name(each.type, each.nullable),
                                       each.required};
    });
}

[[nodiscard]] inline bodies::operation_descriptor operation_descriptor_body(
    const operation_description& about) {
    // Our types have no names of their own.
    return {.name = std::string{about.name},
            .description = std::string{about.description},
            .is_step_based = about.is_pipeline,
            .metadata_type = about.metadata.empty()
                                 ? std::nullopt
                                 : std::optional{concat(about.name, ".metadata")},
            .row_type = concat(about.name, ".row"),
            .type_full_name = bodies::given(about.name),
            .metadata_fields = operation_fields(about.metadata),
            .file_columns = operation_fields(about.columns)};
}

/// Recipients as its dashboard reads them back: a document of its own, none without recipients.
[[nodiscard]] inline std::optional<std::string> recipients_text(const std::vector<recipient>& all) {
    if (all.empty()) return std::nullopt;
    bodies::notification_options options;
    for (const auto& each : all)
        options.recipients.push_back({each.channel, each.target, std::to_underlying(each.when)});
    return json_of<stored_style>(options);
}

/// What failed has a message, even an empty one; what has not failed may have a note.
[[nodiscard]] inline std::optional<std::string> message_of(bool has_failed,
                                                           std::string_view message) {
    return has_failed ? std::optional<std::string>{message} : bodies::given(message);
}

/// Eight bytes, the most significant first, in base 64: as a `rowversion` is written.
[[nodiscard]] inline bodies::base64_text row_version(std::uint64_t version) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (int shift = 58; shift >= 0; shift -= 6) text += digits[version >> shift & 63];
    text += digits[version << 2 & 63];  // four bits are left, and two zeros
    return {text + '='};
}

[[nodiscard]] inline bodies::bulk_operation bulk_operation_body(const operation_record& of,
                                                                std::string metadata) {
    return {.id = of.id.value,
            .operation_name = of.name,
            .file_id = file_guid(of.file_id),
            .file_name = of.file_name,
            .metadata_json = std::move(metadata),
            .created_by = of.created_by,
            .source = of.source,
            .notification_options_json = recipients_text(of.recipients),
            .created_at = of.created_at,
            .started_at = of.started_at,
            .completed_at = of.completed_at,
            .status = of.state,
            .total_rows = bodies::int_of(of.rows.total),
            .processed_rows = bodies::int_of(of.rows.processed),
            .successful_rows = bodies::int_of(of.rows.successful),
            .failed_rows = bodies::int_of(of.rows.failed),
            .retry_count = bodies::int_of(of.retry_count),
            .error_message = bodies::given(of.error_message),
            .file_size = of.file_size,
            .error_count = bodies::int_of(of.rows.failed),
            .row_version = row_version(of.version)};
}

[[nodiscard]] inline bodies::bulk_status bulk_status_body(const operation_record& of) {
    return {.status = of.state,
            .processed_rows = bodies::int_of(of.rows.processed),
            .total_rows = bodies::int_of(of.rows.total),
            .error_count = bodies::int_of(of.rows.failed),
            .completed_at = of.completed_at,
            .progress = percent(of.rows)};
}

/// `data` is the row as JSON, if the operation tracks it.
[[nodiscard]] inline bodies::row_error row_error_body(const row_record& record,
                                                      const operation_record& of,
                                                      std::string_view data) {
    return {.id = record_guid(record.operation, record.row, record.step),
            .bulk_operation_id = record.operation.value,
            .row_number = {to_number(record.row)},
            .row_id = bodies::given(record.row_id),
            .error_type = record.failure,
            .error_message = record.error_message,
            .row_data = bodies::given(data),
            .created_at = record.completed_at.value_or(record.started_at.value_or(of.created_at))};
}

[[nodiscard]] inline bodies::row_step row_step_body(const row_record& record,
                                                    const operation_description* about) {
    return {.step_name = step_text(about, record.step),
            .state = record.state,
            .signal_key = record.signal_key.empty()
                              ? std::nullopt
                              : std::optional{full_signal_key(record.operation, record.signal_key,
                                                              record.row)},
            .started_at = record.started_at,
            .completed_at = record.completed_at,
            .error_message = message_of(record.failure.has_value(), record.error_message)};
}

/// How far a row is; its validation is no step there.
[[nodiscard]] inline bodies::row_progress row_progress_body(std::span<const row_record> records,
                                                            const row_standing& standing,
                                                            const operation_description* about) {
    const std::size_t total = about == nullptr ? 1 : std::max<std::size_t>(1, about->steps.size());
    bodies::row_progress body{.row_number = {to_number(records.front().row)},
                              .current_step = step_text(about, standing.last->step),
                              .current_state = standing.state,
                              .total_steps = bodies::int_of(total)};
    for (const auto& each : records) {
        if (!each.row_id.empty()) body.row_id = each.row_id;
        if (each.step == validation_step) continue;
        body.completed_steps += each.state == row_state::completed ? 1 : 0;
        body.steps.push_back(row_step_body(each, about));
    }
    return body;
}

[[nodiscard]] inline bodies::operation_event operation_event_body(const event& each) {
    return {.sequence = each.sequence,
            .operation_id = each.operation.value,
            .operation_name = each.operation_name,
            .type = bulksharp_name(each.kind),
            .severity = each.level,
            .message = event_message(each),
            .timestamp = each.time};
}

[[nodiscard]] inline bodies::retry_history_entry retry_history_body(const retry_entry& entry,
                                                                    const operation_record& of) {
    return {.id = retry_guid(entry.operation, entry.row, entry.step, entry.retry_attempt),
            .bulk_operation_id = entry.operation.value,
            .row_number = {to_number(entry.row)},
            .step_index = to_number(entry.step),
            .attempt = bodies::int_of(entry.retry_attempt),
            .error_type = entry.failure,
            .error_message = message_of(entry.failure.has_value(), entry.error_message),
            .failed_at = entry.failed_at.value_or(of.created_at),
            .row_data = bodies::given(entry.row_data)};
}

}  // namespace bulk::http::api::bulksharp
