// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
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

namespace bulk::http::api {

/// `completed_with_errors` is CompletedWithErrors to them.
[[nodiscard]] inline std::string pascal_case(std::string_view name) {
    std::string text;
    bool is_first = true;
    for (const char c : name) {
        if (c == '_') {
            is_first = true;
            continue;
        }
        text += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        is_first = false;
    }
    return text;
}

/// The other way round, in any case; none for what is no name, which they pass over in silence.
template <described_enum E>
[[nodiscard]] std::optional<E> from_pascal_case(std::string_view name) {
    for (const auto& each : enumerators_of<E>)
        if (same_name(pascal_case(each.name), name)) return each.value;
    return std::nullopt;
}

/// As they write: what is null is left out, and numbers stand bare, however large.
class older_object {
public:
    older_object& number(std::string_view name, std::uint64_t value) {
        object_.add_raw(name, std::to_string(value));
        return *this;
    }
    older_object& truth(std::string_view name, bool value) {
        object_.add(name, value);
        return *this;
    }
    older_object& text(std::string_view name, std::string_view value) {
        if (!value.empty()) object_.add(name, value);
        return *this;
    }
    older_object& time(std::string_view name, const std::optional<timestamp>& value) {
        if (value) object_.add(name, *value);
        return *this;
    }
    template <described_enum E>
    older_object& choice(std::string_view name, const std::optional<E>& value) {
        if (value) object_.add(name, pascal_case(name_of(*value)));
        return *this;
    }
    older_object& raw(std::string_view name, std::string_view value) {
        object_.add_raw(name, value);
        return *this;
    }
    [[nodiscard]] std::string json() const { return object_.json(); }

private:
    json_object object_;
};

/// Their names of what a field holds; others are called by their own, in small letters, as ours are.
[[nodiscard]] constexpr std::string_view older_type_name(std::string_view ours) {
    constexpr std::pair<std::string_view, std::string_view> names[]{
        {"text", "string"}, {"int8", "sbyte"}, {"uint8", "byte"},
        {"int32", "int"},   {"int64", "long"}, {"uuid", "guid"}};
    for (const auto& [name, theirs] : names)
        if (name == ours) return theirs;
    return ours;
}

[[nodiscard]] inline older_object older_type(const operation_description& about) {
    const auto fields = [](const auto& all) {
        return json_list(all,
                         [](const auto& each) {
                             return older_object{}
                                 .text("name", each.name)
                                 .text("type",
                                       concat(older_type_name(each.type), each.nullable ? "?" : ""))
                                 .truth("required", each.required);
                         })
            .json();
    };
    return older_object{}
        .text("name", about.name)
        .text("description", about.description)
        .truth("isStepBased", about.is_pipeline)
        .text("metadataType", concat(about.name, ".metadata"))  // ours have no names
        .text("rowType", concat(about.name, ".row"))
        .text("typeFullName", about.name)
        .raw("metadataFields", fields(about.metadata))
        .raw("fileColumns", fields(about.columns));
}

[[nodiscard]] inline older_object older_operation(const operation_record& of,
                                                  std::string_view metadata) {
    return older_object{}
        .text("id", to_text(of.id))
        .text("operationName", of.name)
        .text("fileId", of.file_id)
        .text("fileName", of.file_name)
        .number("fileSize", of.file_size)
        .text("metadataJson", metadata)
        .choice("status", std::optional{of.state})
        .time("createdAt", of.created_at)
        .time("startedAt", of.started_at)
        .time("completedAt", of.completed_at)
        .text("createdBy", of.created_by)
        .number("totalRows", of.rows.total)
        .number("processedRows", of.rows.processed)
        .number("successfulRows", of.rows.successful)
        .number("failedRows", of.rows.failed)
        .text("errorMessage", of.error_message)
        .text("source", of.source)
        .number("retryCount", of.retry_count);
}

[[nodiscard]] inline older_object older_status(const operation_record& of) {
    return older_object{}
        .choice("status", std::optional{of.state})
        .number("processedRows", of.rows.processed)
        .number("totalRows", of.rows.total)
        .number("errorCount", of.rows.failed)
        .time("completedAt", of.completed_at)
        .raw("progress", [&] {
            std::string text;
            write_json(text, percent(of.rows));
            return text;
        }());
}

[[nodiscard]] inline older_object older_error(const row_record& record) {
    return older_object{}
        .text("id", concat(to_text(record.operation), ':', to_number(record.row)))
        .text("bulkOperationId", to_text(record.operation))
        .number("rowNumber", to_number(record.row))
        .text("rowId", record.row_id)
        .choice("errorType", record.failure)
        .text("errorMessage", record.error_message)
        .text("rowData", record.row_data)
        .time("createdAt", record.completed_at);
}

/// How far a row is; its validation is no step to them.
[[nodiscard]] inline older_object older_row(std::span<const row_record> records,
                                            const row_standing& standing,
                                            const operation_description* about) {
    std::uint64_t completed = 0;
    json_array steps;
    std::string row_id;
    for (const auto& each : records) {
        if (!each.row_id.empty()) row_id = each.row_id;
        if (each.step == validation_step) continue;
        completed += each.state == row_state::completed ? 1U : 0U;
        steps.add(older_object{}
                      .text("stepName", step_text(about, each.step))
                      .choice("state", std::optional{each.state})
                      .text("signalKey", each.signal_key)
                      .time("startedAt", each.started_at)
                      .time("completedAt", each.completed_at)
                      .text("errorMessage", each.error_message));
    }
    const std::size_t total = about == nullptr ? 1 : std::max<std::size_t>(1, about->steps.size());
    return older_object{}
        .number("rowNumber", to_number(records.front().row))
        .text("rowId", row_id)
        .text("currentStep", step_text(about, standing.last->step))
        .choice("currentState", std::optional{standing.state})
        .number("completedSteps", completed)
        .number("totalSteps", total)
        .raw("steps", steps.json());
}

[[nodiscard]] inline older_object older_event(const event& each) {
    return older_object{}
        .number("sequence", each.sequence)
        .choice("eventType", std::optional{each.kind})
        .choice("severity", std::optional{each.level})
        .text("operationId", to_text(each.operation))
        .text("operationName", each.operation_name)
        .choice("status", std::optional{each.state})
        .choice("previousStatus", each.previous)
        .text("message", each.message)
        .time("timestamp", each.time);
}

[[nodiscard]] inline older_object older_entry(const retry_entry& entry,
                                              const operation_description* about) {
    return older_object{}
        .text("bulkOperationId", to_text(entry.operation))
        .number("rowNumber", to_number(entry.row))
        .text("stepName", step_text(about, entry.step))
        .number("attempt", entry.retry_attempt)
        .choice("errorType", entry.failure)
        .text("errorMessage", entry.error_message)
        .time("failedAt", entry.failed_at);
}

}  // namespace bulk::http::api
