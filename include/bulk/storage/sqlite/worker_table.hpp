// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/worker_record.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstddef>
#include <vector>

namespace bulk::sqlite {

/// Who works, as they have said themselves, within a transaction.
class worker_table {
public:
    explicit worker_table(session& database) : database_{database} {}

    void put_worker(const worker_record& record) {
        database_.execute(
            "INSERT OR REPLACE INTO bulk_workers (id, kind, pid, started_at, seen_at, "
            "silent_after, running_operations, running_pages, name, host) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            record.id, record.kind, record.pid, record.started_at, record.seen_at,
            record.silent_after, record.running_operations, record.running_pages, record.name,
            record.host);
    }

    void remove_worker(worker_id id) {
        database_.execute("DELETE FROM bulk_workers WHERE id = ?1", id);
    }
    void forget_workers(timestamp seen_before) {
        database_.execute("DELETE FROM bulk_workers WHERE seen_at < ?1", seen_before);
    }

    [[nodiscard]] std::vector<worker_record> find_workers(std::size_t most) {
        std::vector<worker_record> found;
        auto row = database_.rows(
            "SELECT * FROM (SELECT id, kind, pid, started_at, seen_at, silent_after, "
            "running_operations, running_pages, name, host FROM bulk_workers ORDER BY seen_at "
            "DESC LIMIT ?1) ORDER BY name, started_at, id",
            most);
        while (row.next()) {
            auto& each = found.emplace_back();
            row.read(each.id, each.kind, each.pid, each.started_at, each.seen_at, each.silent_after,
                     each.running_operations, each.running_pages, each.name, each.host);
        }
        return found;
    }

private:
    session& database_;
};

}  // namespace bulk::sqlite
