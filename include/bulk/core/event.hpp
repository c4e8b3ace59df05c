// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/boxed.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_record.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

/// Stored as a number: a new kind comes last.
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
static_assert(describes_all<event_kind>(),
              "BOOST_DESCRIBE_ENUM(event_kind, ...) lists all kinds, in their order");

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

/// " by anna"; nothing when nobody says who it was.
[[nodiscard]] std::string by_whom(std::string_view who);

/// `metadata` is what everybody may read: personal values are hidden.
[[nodiscard]] event created_event(const operation_record& operation, std::string metadata = {});

[[nodiscard]] event status_changed_event(const operation_record& operation,
                                         operation_state previous, timestamp now);

/// "Cancel requested by anna": what happens then is told by events of its own.
[[nodiscard]] event requested_event(const operation_record& operation, std::string_view what,
                                    std::string_view who, timestamp now);

/// What is told when an operation has reached a final state; none while it has not.
[[nodiscard]] std::optional<event> final_event(const operation_record& operation, timestamp now);

[[nodiscard]] event run_event(const feed_run& run, event_kind kind, severity level, timestamp now,
                              std::string message);

[[nodiscard]] event row_failed_event(const operation_record& operation, const row_record& record,
                                     timestamp now);

/// Called for what happens, in the order of the store, each event at least once.
using event_handler = std::function<void(const event&)>;

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/core/implementation.hpp>
#endif
