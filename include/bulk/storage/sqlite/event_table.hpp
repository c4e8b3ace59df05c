// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/event_columns.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::sqlite {

/// What happened, and how far it was read by whom, within a transaction.
class event_table {
public:
    explicit event_table(session& database) : database_{database} {}

    void append(const std::vector<event>& events) {
        if (events.empty()) return;
        auto sequence = last_sequence();
        for (const auto& each : events) insert(each, ++sequence);
    }

    [[nodiscard]] std::vector<event> find_events(std::optional<operation_id> id,
                                                 std::optional<std::uint64_t> after,
                                                 std::uint32_t limit) {
        const auto sql =
            concat("SELECT ", list_of(event_columns::all), ", seal IS ", seals::event,
                   " FROM bulk_events WHERE sequence > ?1", id ? " AND operation = ?3" : "",
                   " ORDER BY sequence", after ? "" : " DESC", " LIMIT ?2");
        std::vector<event> found;
        auto row = database_.rows(sql, after.value_or(0), limit, id);
        while (row.next()) {
            auto& each = found.emplace_back();
            event_extras extras;
            bool is_intact = false;
            row.read(each.sequence);
            read_fields(row, event_columns::told, each, event_columns::key.size());
            read_fields(row, event_columns::extras, extras,
                        event_columns::all.size() - event_columns::extras.size());
            row.read_at(static_cast<int>(event_columns::all.size()), is_intact);
            if (!is_intact)
                database_.note(damaged(
                    concat("operation ", to_text(each.operation), ", event ", each.sequence),
                    "event"));
            extras.move_to(each);
        }
        if (!after) std::ranges::reverse(found);
        return found;
    }

    [[nodiscard]] std::optional<std::uint64_t> event_position(const std::string& reader) {
        static const auto sql = concat("SELECT position, seal IS ", seals::event_position,
                                       " FROM bulk_event_positions WHERE reader = ?1");
        std::optional<std::uint64_t> found;
        bool is_intact = false;
        auto row = database_.rows(sql, reader);
        if (!row.next()) return found;
        row.read(found, is_intact);
        if (!is_intact) database_.note(damaged(concat("event reader '", reader, '\''), "position"));
        return found;
    }

    void raise_event_position(const std::string& reader, std::uint64_t position) {
        database_.execute(
            "INSERT INTO bulk_event_positions (reader, position, seal) VALUES (?1, ?2, "
            "bulk_seal(?1, ?2)) ON CONFLICT DO UPDATE SET position = max(position, "
            "excluded.position), seal = iif(seal IS bulk_seal(reader, position), bulk_seal(reader, "
            "max(position, excluded.position)), seal)",
            reader, position);
    }

private:
    /// Numbered here, and not by the table: the number is part of what is sealed.
    [[nodiscard]] std::uint64_t last_sequence() {
        std::uint64_t last = 0;
        auto row = database_.rows(
            "SELECT max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'bulk_events'), 0), "
            "ifnull((SELECT max(sequence) FROM bulk_events), 0))");
        if (row.next()) row.read(last);
        return last;
    }

    void insert(const event& each, std::uint64_t sequence) {
        static const auto sql = insert_sealed("INSERT", "bulk_events", event_columns::all,
                                              {{"seal", event_columns::all}});
        database_.execute(sql, sequence, fields{event_columns::told, each},
                          fields{event_columns::extras, event_extras::of(each)});
    }

    session& database_;
};

}  // namespace bulk::sqlite
