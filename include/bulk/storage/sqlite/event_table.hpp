// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
        const auto sql = concat(
            "SELECT sequence, operation, kind, level, state, previous, row, failure, time, "
            "operation_name, message, created_by, file_name, metadata, processed, total, "
            "successful, failed, duration, seal IS ",
            seals::event, " FROM bulk_events WHERE sequence > ?1", id ? " AND operation = ?3" : "",
            " ORDER BY sequence", after ? "" : " DESC", " LIMIT ?2");
        std::vector<event> found;
        auto row = database_.rows(sql, after.value_or(0), limit, id);
        while (row.next()) {
            auto& each = found.emplace_back();
            std::optional<std::string> created_by;
            std::optional<std::uint64_t> processed;
            event_creation created;
            event_outcome ended;
            std::int64_t duration = 0;
            bool is_intact = false;
            row.read(each.sequence, each.operation, each.kind, each.level, each.state,
                     each.previous, each.row, each.failure, each.time, each.operation_name,
                     each.message, created_by, created.file_name, created.metadata, processed,
                     ended.total, ended.successful, ended.failed, duration, is_intact);
            if (!is_intact)
                database_.note(damaged(
                    concat("operation ", to_text(each.operation), ", event ", each.sequence),
                    "event"));
            if (created_by) {
                created.created_by = std::move(*created_by);
                each.created = std::move(created);
            }
            if (processed) {
                ended.processed = *processed;
                ended.duration = std::chrono::microseconds{duration};
                each.ended = ended;
            }
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
        static const auto sql = [] {
            std::string values;
            for (int i = 1; i <= 19; ++i) values += concat(i == 1 ? "?" : ", ?", i);
            return concat(
                "INSERT INTO bulk_events (sequence, operation, kind, level, state, "
                "previous, row, failure, time, operation_name, message, created_by, "
                "file_name, metadata, processed, total, successful, failed, duration, "
                "seal) VALUES (",
                values, ", bulk_seal(", values, "))");
        }();
        const auto of_creation = [&](auto member) {
            return each.created ? std::optional{std::string_view{(*each.created).*member}}
                                : std::nullopt;
        };
        const auto of_outcome = [&](auto member) {
            return each.ended ? std::optional{(*each.ended).*member} : std::nullopt;
        };
        const auto took = each.ended ? std::optional{each.ended->duration.count()} : std::nullopt;
        database_.execute(
            sql, sequence, each.operation, each.kind, each.level, each.state, each.previous,
            each.row, each.failure, each.time, each.operation_name, each.message,
            of_creation(&event_creation::created_by), of_creation(&event_creation::file_name),
            of_creation(&event_creation::metadata), of_outcome(&event_outcome::processed),
            of_outcome(&event_outcome::total), of_outcome(&event_outcome::successful),
            of_outcome(&event_outcome::failed), took);
    }

    session& database_;
};

}  // namespace bulk::sqlite
