// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/storage/sqlite/columns.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace bulk::sqlite {

/// What only some events have: NULL in the others.
struct event_extras {
    std::optional<std::string> created_by{};
    std::optional<std::string> file_name{};
    std::optional<std::string> metadata{};
    std::optional<std::uint64_t> processed{};
    std::optional<std::uint64_t> total{};
    std::optional<std::uint64_t> successful{};
    std::optional<std::uint64_t> failed{};
    std::optional<std::int64_t> duration{};

    [[nodiscard]] static event_extras of(const event& each) {
        event_extras extras;
        if (each.created) {
            extras.created_by = each.created->created_by;
            extras.file_name = each.created->file_name;
            extras.metadata = each.created->metadata;
        }
        if (each.ended) {
            extras.processed = each.ended->processed;
            extras.total = each.ended->total;
            extras.successful = each.ended->successful;
            extras.failed = each.ended->failed;
            extras.duration = each.ended->duration.count();
        }
        return extras;
    }

    void move_to(event& each) {
        if (created_by)
            each.created = event_creation{.created_by = std::move(*created_by),
                                          .file_name = std::move(file_name).value_or(""),
                                          .metadata = std::move(metadata).value_or("")};
        if (processed)
            each.ended = event_outcome{.total = total,
                                       .processed = *processed,
                                       .successful = successful.value_or(0),
                                       .failed = failed.value_or(0),
                                       .duration = std::chrono::microseconds{duration.value_or(0)}};
    }
};

/// The columns of `bulk_events`, and which field each holds.
struct event_columns {
    static constexpr std::array<std::string_view, 19> all{
        "sequence", "operation",  "kind",      "level",    "state",
        "previous", "row",        "failure",   "time",     "operation_name",
        "message",  "created_by", "file_name", "metadata", "processed",
        "total",    "successful", "failed",    "duration"};

    /// In the order of the columns.
    template <typename Sequence, typename Event>
    [[nodiscard]] static auto fields(Sequence& sequence, Event& each, event_extras& extras) {
        return column_values(sequence, each.operation, each.kind, each.level, each.state,
                             each.previous, each.row, each.failure, each.time, each.operation_name,
                             each.message, extras.created_by, extras.file_name, extras.metadata,
                             extras.processed, extras.total, extras.successful, extras.failed,
                             extras.duration);
    }
};
static_assert(
    std::tuple_size_v<decltype(event_columns::fields(
        std::declval<std::uint64_t&>(), std::declval<event&>(), std::declval<event_extras&>()))> ==
    event_columns::all.size());

}  // namespace bulk::sqlite
