// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/event.hpp>
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
        for (const auto& each : events) insert(each);
    }

    [[nodiscard]] std::vector<event> find(std::optional<operation_id> id,
                                          std::optional<std::uint64_t> after, std::uint32_t limit) {
        const auto sql = concat(
            "SELECT sequence, operation, kind, level, state, previous, row, failure, time, "
            "operation_name, message, created_by, file_name, metadata, processed, total, "
            "successful, failed, duration FROM bulk_events WHERE sequence > ?1",
            id ? " AND operation = ?3" : "", " ORDER BY sequence", after ? "" : " DESC",
            " LIMIT ?2");
        std::vector<event> found;
        auto row = database_.rows(sql, after.value_or(0), limit, id);
        while (row.next()) {
            auto& each = found.emplace_back();
            std::optional<std::string> created_by;
            std::optional<std::uint64_t> processed;
            event_creation created;
            event_outcome ended;
            std::int64_t duration = 0;
            row.read(each.sequence, each.operation, each.kind, each.level, each.state,
                     each.previous, each.row, each.failure, each.time, each.operation_name,
                     each.message, created_by, created.file_name, created.metadata, processed,
                     ended.total, ended.successful, ended.failed, duration);
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

    [[nodiscard]] std::optional<std::uint64_t> position(const std::string& reader) {
        std::optional<std::uint64_t> found;
        auto row =
            database_.rows("SELECT position FROM bulk_event_positions WHERE reader = ?1", reader);
        if (row.next()) row.read(found);
        return found;
    }

    /// Nobody goes back.
    void set_position(const std::string& reader, std::uint64_t position) {
        database_.execute(
            "INSERT INTO bulk_event_positions (reader, position) VALUES (?1, ?2) ON CONFLICT DO "
            "UPDATE SET position = max(position, excluded.position)",
            reader, position);
    }

private:
    /// Most events are failed rows: without `created` and `ended`, they take one statement.
    void insert(const event& each) {
        database_.execute(
            "INSERT INTO bulk_events (operation, kind, level, state, previous, row, failure, "
            "time, operation_name, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            each.operation, each.kind, each.level, each.state, each.previous, each.row,
            each.failure, each.time, each.operation_name, each.message);
        if (each.created)
            database_.execute(
                "UPDATE bulk_events SET created_by = ?2, file_name = ?3, metadata = ?4 WHERE "
                "sequence = ?1",
                database_.inserted(), each.created->created_by, each.created->file_name,
                each.created->metadata);
        if (each.ended)
            database_.execute(
                "UPDATE bulk_events SET processed = ?2, total = ?3, successful = ?4, failed = ?5, "
                "duration = ?6 WHERE sequence = ?1",
                database_.inserted(), each.ended->processed, each.ended->total,
                each.ended->successful, each.ended->failed, each.ended->duration.count());
    }

    session& database_;
};

}  // namespace bulk::sqlite
