// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/bulksharp/ids.hpp>
#include <bulk/http/api/bulksharp/object.hpp>
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

// The types of BulkSharp, each from what we store: see schemas.hpp for their members.

/// Its names of what a field holds. Only value types are nullable by a `?` there, so text never is.
[[nodiscard]] inline std::string type_name(std::string_view ours, bool is_nullable) {
    constexpr std::pair<std::string_view, std::string_view> names[]{
        {"text", "string"}, {"int8", "sbyte"}, {"uint8", "byte"},   {"int32", "int"},
        {"int64", "long"},  {"uuid", "guid"},  {"date", "dateonly"}};
    for (const auto& [name, theirs] : names)
        if (name == ours) ours = theirs;
    return concat(ours, is_nullable && ours != "string" ? "?" : "");
}

[[nodiscard]] inline object operation_type_json(const operation_description& about) {
    const auto fields = [](const auto& all) {
        return json_list(all,
                         [](const auto& each) {
                             return object{}
                                 .text("name", each.name)
                                 .text("type", type_name(each.type, each.nullable))
                                 .truth("required", each.required);
                         })
            .json();
    };
    // Our types have no names of their own.
    return object{}
        .text("name", about.name)
        .text("description", about.description)
        .truth("isStepBased", about.is_pipeline)
        .text_if("metadataType",
                 about.metadata.empty() ? std::string{} : concat(about.name, ".metadata"))
        .text_if("rowType", concat(about.name, ".row"))
        .text_if("typeFullName", about.name)
        .raw("metadataFields", fields(about.metadata))
        .raw("fileColumns", fields(about.columns));
}

/// Recipients as its dashboard reads them back: PascalCase, triggers as their bits, which are ours.
[[nodiscard]] inline std::string recipients_json(const std::vector<recipient>& all) {
    if (all.empty()) return {};
    const auto list = json_list(all, [](const recipient& each) {
        return object{}
            .text("Channel", each.channel)
            .text("Target", each.target)
            .number("Triggers", std::to_underlying(each.when));
    });
    return object{}.raw("Recipients", list.json()).json();
}

/// Eight bytes, the most significant first, in base 64: as a `rowversion` is written.
[[nodiscard]] inline std::string row_version(std::uint64_t version) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (int shift = 58; shift >= 0; shift -= 6) text += digits[version >> shift & 63];
    text += digits[version << 2 & 63];  // four bits are left, and two zeros
    return text + '=';
}

[[nodiscard]] inline object operation_json(const operation_record& of, std::string_view metadata) {
    return object{}
        .text("id", to_text(of.id))
        .text("operationName", of.name)
        .text("fileId", file_guid(of.file_id))
        .text("fileName", of.file_name)
        .text("metadataJson", metadata)
        .text("createdBy", of.created_by)
        .text("source", of.source)
        .text_if("notificationOptionsJson", recipients_json(of.recipients))
        .time("createdAt", of.created_at)
        .time_if("startedAt", of.started_at)
        .time_if("completedAt", of.completed_at)
        .choice("status", of.state)
        .count("totalRows", of.rows.total)
        .count("processedRows", of.rows.processed)
        .count("successfulRows", of.rows.successful)
        .count("failedRows", of.rows.failed)
        .count("retryCount", of.retry_count)
        .text_if("errorMessage", of.error_message)
        .number("fileSize", of.file_size)
        .count("errorCount", of.rows.failed)
        .text("rowVersion", row_version(of.version));
}

[[nodiscard]] inline object status_json(const operation_record& of) {
    std::string progress;
    write_json(progress, percent(of.rows));
    return object{}
        .choice("status", of.state)
        .count("processedRows", of.rows.processed)
        .count("totalRows", of.rows.total)
        .count("errorCount", of.rows.failed)
        .time_if("completedAt", of.completed_at)
        .raw("progress", progress);
}

/// `data` is the row as JSON, if the operation tracks it.
[[nodiscard]] inline object row_error_json(const row_record& record, const operation_record& of,
                                           std::string_view data) {
    return object{}
        .text("id", record_guid(record.operation, record.row, record.step))
        .text("bulkOperationId", to_text(record.operation))
        .number("rowNumber", to_number(record.row))
        .text_if("rowId", record.row_id)
        .choice_if("errorType", record.failure)
        .error_message(true, record.error_message)
        .text_if("rowData", data)
        .time("createdAt", record.completed_at.value_or(record.started_at.value_or(of.created_at)));
}

/// How far a row is; its validation is no step there.
[[nodiscard]] inline object row_json(std::span<const row_record> records,
                                     const row_standing& standing,
                                     const operation_description* about) {
    std::uint64_t completed = 0;
    json_array steps;
    std::string row_id;
    for (const auto& each : records) {
        if (!each.row_id.empty()) row_id = each.row_id;
        if (each.step == validation_step) continue;
        completed += each.state == row_state::completed ? 1U : 0U;
        steps.add(object{}
                      .text("stepName", step_text(about, each.step))
                      .choice("state", each.state)
                      .text_if("signalKey",
                               each.signal_key.empty()
                                   ? std::string{}
                                   : full_signal_key(each.operation, each.signal_key, each.row))
                      .time_if("startedAt", each.started_at)
                      .time_if("completedAt", each.completed_at)
                      .error_message(each.failure.has_value(), each.error_message));
    }
    const std::size_t total = about == nullptr ? 1 : std::max<std::size_t>(1, about->steps.size());
    return object{}
        .number("rowNumber", to_number(records.front().row))
        .text_if("rowId", row_id)
        .text("currentStep", step_text(about, standing.last->step))
        .choice("currentState", standing.state)
        .number("completedSteps", completed)
        .number("totalSteps", total)
        .raw("steps", steps.json());
}

[[nodiscard]] inline object event_json(const event& each) {
    return object{}
        .number("sequence", each.sequence)
        .text("operationId", to_text(each.operation))
        .text("operationName", each.operation_name)
        .choice("type", each.kind)
        .choice("severity", each.level)
        .text("message", event_message(each))
        .time("timestamp", each.time);
}

[[nodiscard]] inline object retry_json(const retry_entry& entry, const operation_record& of) {
    return object{}
        .text("id", retry_guid(entry.operation, entry.row, entry.step, entry.retry_attempt))
        .text("bulkOperationId", to_text(entry.operation))
        .number("rowNumber", to_number(entry.row))
        .index("stepIndex", to_number(entry.step))
        .count("attempt", entry.retry_attempt)
        .choice_if("errorType", entry.failure)
        .error_message(entry.failure.has_value(), entry.error_message)
        .time("failedAt", entry.failed_at.value_or(of.created_at))
        .text_if("rowData", entry.row_data);
}

}  // namespace bulk::http::api::bulksharp
