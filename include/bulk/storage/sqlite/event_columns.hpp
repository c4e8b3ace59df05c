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
    static constexpr std::array<std::string_view, 1> key{"sequence"};
    static constexpr std::array told{
        column_of<&event::operation>("operation"),
        column_of<&event::kind>("kind"),
        column_of<&event::level>("level"),
        column_of<&event::state>("state"),
        column_of<&event::previous>("previous"),
        column_of<&event::row>("row"),
        column_of<&event::failure>("failure"),
        column_of<&event::time>("time"),
        column_of<&event::operation_name>("operation_name"),
        column_of<&event::message>("message"),
    };
    static constexpr std::array extras{
        column_of<&event_extras::created_by>("created_by"),
        column_of<&event_extras::file_name>("file_name"),
        column_of<&event_extras::metadata>("metadata"),
        column_of<&event_extras::processed>("processed"),
        column_of<&event_extras::total>("total"),
        column_of<&event_extras::successful>("successful"),
        column_of<&event_extras::failed>("failed"),
        column_of<&event_extras::duration>("duration"),
    };
    static constexpr auto all = joined(key, names_of(told), names_of(extras));
};

}  // namespace bulk::sqlite
