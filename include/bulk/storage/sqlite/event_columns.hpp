// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/event.hpp>
#include <bulk/storage/sqlite/columns.hpp>

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

/// An event, its number, and what only some events have.
template <typename Sequence, typename Event>
struct stored_event {
    Sequence& sequence;
    Event& told;
    event_extras& extras;
};
template <typename Member>
[[nodiscard]] constexpr auto of_event(Member member) {
    return [=](auto& in) -> auto& { return in.told.*member; };
}
template <typename Member>
[[nodiscard]] constexpr auto of_extras(Member member) {
    return [=](auto& in) -> auto& { return in.extras.*member; };
}

/// The columns of `bulk_events`, and which field each holds.
struct event_columns {
    static constexpr std::tuple found{
        column{"sequence", [](auto& in) -> auto& { return in.sequence; }},
        column{"operation", of_event(&event::operation)},
        column{"kind", of_event(&event::kind)},
        column{"level", of_event(&event::level)},
        column{"state", of_event(&event::state)},
        column{"previous", of_event(&event::previous)},
        column{"row", of_event(&event::row)},
        column{"failure", of_event(&event::failure)},
        column{"time", of_event(&event::time)},
        column{"operation_name", of_event(&event::operation_name)},
        column{"message", of_event(&event::message)},
        column{"created_by", of_extras(&event_extras::created_by)},
        column{"file_name", of_extras(&event_extras::file_name)},
        column{"metadata", of_extras(&event_extras::metadata)},
        column{"processed", of_extras(&event_extras::processed)},
        column{"total", of_extras(&event_extras::total)},
        column{"successful", of_extras(&event_extras::successful)},
        column{"failed", of_extras(&event_extras::failed)},
        column{"duration", of_extras(&event_extras::duration)},
    };
    static constexpr auto all = names_of(found);

    /// In the order of the columns.
    template <typename Sequence, typename Event>
    [[nodiscard]] static auto fields(Sequence& sequence, Event& each, event_extras& extras) {
        stored_event<Sequence, Event> in{sequence, each, extras};
        return fields_of(found, in);
    }
};

}  // namespace bulk::sqlite
