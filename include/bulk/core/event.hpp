// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/boxed.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/row_record.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

enum class event_kind : std::uint8_t {
    created,
    status_changed,
    completed,  ///< with or without failed rows
    failed,
    cancelled,
    row_failed,
    run_started,  ///< from here on of a feed's run
    partition_completed,
    partition_failed,
    partitions_retried,
    consolidation_started,
    consolidation_skipped,
    run_completed,
    run_failed,
    run_cancelled,
    watermark_moved,  ///< up to here of a feed's run
    requested,        ///< somebody asked for something; the message says who, and for what
};
BOOST_DESCRIBE_ENUM(event_kind, created, status_changed, completed, failed, cancelled, row_failed,
                    run_started, partition_completed, partition_failed, partitions_retried,
                    consolidation_started, consolidation_skipped, run_completed, run_failed,
                    run_cancelled, watermark_moved, requested)

[[nodiscard]] constexpr bool is_of_run(event_kind kind) {
    return kind >= event_kind::run_started && kind <= event_kind::watermark_moved;
}

enum class severity : std::uint8_t { info, warning, error };
BOOST_DESCRIBE_ENUM(severity, info, warning, error)

/// What a new operation was created with.
struct event_creation {
    std::string created_by{};
    std::string file_name{};  ///< as it was given
    std::string metadata{};   ///< JSON; personal values are hidden

    bool operator==(const event_creation&) const = default;
};

/// How an operation stood when it ended. After a retry the counts are those of all rows, and the
/// duration is that of the last run.
struct event_outcome {
    std::optional<std::uint64_t> total{};  ///< rows of the file; none: validation did not finish
    std::uint64_t processed = 0;
    std::uint64_t successful = 0;
    std::uint64_t failed = 0;
    std::chrono::microseconds duration{};

    [[nodiscard]] constexpr std::uint64_t unprocessed() const {
        return total && *total > processed ? *total - processed : 0;
    }

    bool operator==(const event_outcome&) const = default;
};

/// Something that happened to an operation, or to a run of a feed, whose id and name then stand in the
/// place of the operation's. Written in the transaction that made it happen.
struct event {
    std::uint64_t sequence = 0;  ///< given by the store: one order over all operations
    event_kind kind{};
    severity level = severity::info;
    operation_id operation{};
    std::string operation_name{};
    operation_state state{};
    std::optional<operation_state> previous{};  ///< of a status change
    std::optional<row_number> row{};            ///< of a failed row
    std::optional<error_type> failure{};        ///< of a failed row
    std::string message{};
    timestamp time{};
    boxed<event_creation> created{};  ///< of `created`
    boxed<event_outcome> ended{};     ///< of `completed`, `failed` and `cancelled`

    /// Why the operation or the row failed, of `failed` and `row_failed`; empty for other kinds.
    [[nodiscard]] std::string_view error_message() const {
        const std::string_view text = message;
        if (kind == event_kind::failed) return text;
        if (kind != event_kind::row_failed) return {};
        const auto colon = text.find(": ");  // "Row 7: ..."
        return colon == std::string_view::npos ? text : text.substr(colon + 2);
    }

    bool operator==(const event&) const = default;
};

namespace detail {

inline event about(const operation_record& operation, event_kind kind, timestamp now) {
    return {.kind = kind,
            .operation = operation.id,
            .operation_name = operation.name,
            .state = operation.state,
            .time = now};
}

/// "2.045 s": as fine as a person reads it.
inline std::string seconds_text(std::chrono::microseconds span) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
    const std::string fraction = std::to_string(1000 + ms % 1000);
    return concat(ms / 1000, '.', std::string_view{fraction}.substr(1), " s");
}

/// Of the last run; 0 for an operation that ended before it began.
inline std::chrono::microseconds run_time(const operation_record& operation, timestamp now) {
    const auto ended = operation.completed_at.value_or(now);
    // A clock that was set back must not make a span negative.
    return std::max<std::chrono::microseconds>(std::chrono::microseconds{0},
                                               ended - operation.run_started_at.value_or(ended));
}

inline event_outcome outcome_of(const operation_record& operation, timestamp now) {
    return {.total = operation.validated ? std::optional{operation.rows.total} : std::nullopt,
            .processed = operation.rows.processed,
            .successful = operation.rows.successful,
            .failed = operation.rows.failed,
            .duration = run_time(operation, now)};
}

}  // namespace detail

/// " by anna"; nothing when nobody says who it was.
[[nodiscard]] inline std::string by_whom(std::string_view who) {
    return who.empty() ? std::string{} : concat(" by ", who);
}

/// `metadata` is what everybody may read: personal values are hidden.
[[nodiscard]] inline event created_event(const operation_record& operation,
                                         std::string metadata = {}) {
    auto event = detail::about(operation, event_kind::created, operation.created_at);
    event.message = concat("Operation created", by_whom(operation.created_by));
    event.created = event_creation{.created_by = operation.created_by,
                                   .file_name = operation.file_name,
                                   .metadata = std::move(metadata)};
    return event;
}

[[nodiscard]] inline event status_changed_event(const operation_record& operation,
                                                operation_state previous, timestamp now) {
    auto event = detail::about(operation, event_kind::status_changed, now);
    event.previous = previous;
    event.message = concat(name_of(previous), " to ", name_of(operation.state));
    return event;
}

/// "Cancel requested by anna": what happens then is told by events of its own.
[[nodiscard]] inline event requested_event(const operation_record& operation, std::string_view what,
                                           std::string_view who, timestamp now) {
    auto event = detail::about(operation, event_kind::requested, now);
    event.message = concat(what, " requested by ", who);
    return event;
}

/// What is told when an operation has reached a final state; none while it has not.
[[nodiscard]] inline std::optional<event> final_event(const operation_record& operation,
                                                      timestamp now) {
    switch (operation.state) {
        case operation_state::completed:
        case operation_state::completed_with_errors: {
            auto event = detail::about(operation, event_kind::completed, now);
            event.level = operation.rows.failed > 0 ? severity::warning : severity::info;
            event.ended = detail::outcome_of(operation, now);
            event.message =
                concat(operation.rows.successful, '/', operation.rows.total, " rows succeeded in ",
                       detail::seconds_text(event.ended->duration));
            return event;
        }
        case operation_state::failed: {
            auto event = detail::about(operation, event_kind::failed, now);
            event.level = severity::error;
            event.ended = detail::outcome_of(operation, now);
            event.message = operation.error_message;
            return event;
        }
        case operation_state::cancelled: {
            auto event = detail::about(operation, event_kind::cancelled, now);
            event.level = severity::warning;
            event.ended = detail::outcome_of(operation, now);
            event.message = "Operation cancelled";
            if (operation.validated)
                event.message += concat(", ", unprocessed(operation.rows), " rows not processed");
            return event;
        }
        default:
            return std::nullopt;
    }
}

[[nodiscard]] inline event run_event(const feed_run& run, event_kind kind, severity level,
                                     timestamp now, std::string message) {
    return {.kind = kind,
            .level = level,
            .operation = {run.id.value},
            .operation_name = run.feed,
            .message = std::move(message),
            .time = now};
}

[[nodiscard]] inline event row_failed_event(const operation_record& operation,
                                            const row_record& record, timestamp now) {
    auto event = detail::about(operation, event_kind::row_failed, now);
    event.level = severity::error;
    event.row = record.row;
    event.failure = record.failure;
    event.message = concat("Row ", to_number(record.row), ": ", record.error_message);
    return event;
}

/// Called for what happens, in the order of the store, each event at least once.
using event_handler = std::function<void(const event&)>;

}  // namespace bulk
