// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/operation/description.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace bulk::cli {

// Records as they are shown. Metadata is not: it may be personal.

[[nodiscard]] inline std::string state_text(const operation_record& record) {
    std::string text = spaced_name(record.state);
    if (record.paused) text += ", paused";
    if (record.cancel_requested && !is_final(record.state)) text += ", being cancelled";
    return text;
}

[[nodiscard]] constexpr tint tint_of(operation_state state) {
    switch (state) {
        case operation_state::completed:
            return tint::good;
        case operation_state::completed_with_errors:
            return tint::warning;
        case operation_state::failed:
        case operation_state::cancelled:
            return tint::bad;
        default:
            return tint::plain;
    }
}

[[nodiscard]] constexpr tint tint_of(row_state state) {
    switch (state) {
        case row_state::completed:
            return tint::good;
        case row_state::failed:
        case row_state::timed_out:
            return tint::bad;
        case row_state::pending:
        case row_state::running:
        case row_state::waiting_for_completion:
            break;
    }
    return tint::plain;
}

/// How long the last run took, or has taken by now.
[[nodiscard]] inline std::optional<std::chrono::microseconds> duration_of(
    const operation_record& record, timestamp now) {
    if (!record.run_started_at) return std::nullopt;
    return record.completed_at.value_or(now) - *record.run_started_at;
}

[[nodiscard]] inline json_line json_of(const operation_record& record) {
    json_line rows;
    rows.add("total", record.validated ? std::optional{record.rows.total} : std::nullopt)
        .add("processed", record.rows.processed)
        .add("succeeded", record.rows.successful)
        .add("failed", record.rows.failed);
    return line_of("operation")
        .add("id", to_text(record.id))
        .add("operation", record.name)
        .add("state", record.state)
        .add("paused", record.paused)
        .add("cancel_requested", record.cancel_requested)
        .add("file", record.file_name)
        .add("file_size", record.file_size)
        .add("created_by", record.created_by)
        .add("source", record.source)
        .add("rows", rows)
        .add("percent", percent(record.rows))
        .add("retry_count", record.retry_count)
        .add("error", record.error_message)
        .add("created_at", record.created_at)
        .add("started_at", record.started_at)
        .add("completed_at", record.completed_at);
}

// `about` is none when the program does not know the operation.

[[nodiscard]] inline json_line json_of(const row_record& record,
                                       const operation_description* about) {
    json_line line = line_of("row")
                         .add("row", to_number(record.row))
                         .add("row_id", record.row_id)
                         .add("step", step_text(about, record.step))
                         .add("step_index", to_number(record.step))
                         .add("state", record.state)
                         .add("attempt", record.attempt)
                         .add("retry_attempt", record.retry_attempt)
                         .add("failure", record.failure)
                         .add("error", record.error_message)
                         .add("signal_key", record.signal_key)
                         .add("started_at", record.started_at)
                         .add("completed_at", record.completed_at)
                         .add("wait_until", record.wait_until);
    if (!record.row_data.empty()) line.add("data", record.row_data);
    return line;
}

[[nodiscard]] inline json_line json_of(const error_group& group,
                                       const operation_description* about) {
    return line_of("error_group")
        .add("count", group.count)
        .add("step", step_text(about, group.step))
        .add("failure", group.failure)
        .add("pattern", group.pattern)
        .add("first_row", to_number(group.first_row))
        .add("sample", group.sample);
}

}  // namespace bulk::cli
