// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

namespace bulk::sqlite {

/// The columns of `bulk_workers`, and which field each holds.
struct worker_columns {
    static constexpr std::array<std::string_view, 10> all{"id",
                                                          "kind",
                                                          "pid",
                                                          "started_at",
                                                          "seen_at",
                                                          "silent_after",
                                                          "running_operations",
                                                          "running_pages",
                                                          "name",
                                                          "host"};

    /// In the order of the columns.
    template <typename Record>
    [[nodiscard]] static auto fields(Record& record) {
        return std::tie(record.id, record.kind, record.pid, record.started_at, record.seen_at,
                        record.silent_after, record.running_operations, record.running_pages,
                        record.name, record.host);
    }
};

/// Who works, as they have said themselves, within a transaction.
class worker_table {
public:
    explicit worker_table(session& database) : database_{database} {}

    void put_worker(const worker_record& record) {
        static const std::string sql =
            insert_sealed("INSERT OR REPLACE", "bulk_workers", worker_columns::all, {});
        const std::string& statement = sql;
        const auto values = worker_columns::fields(record);
        std::apply([&](const auto&... each) { database_.execute(statement, each...); }, values);
    }

    void remove_worker(worker_id id) {
        database_.execute("DELETE FROM bulk_workers WHERE id = ?1", id);
    }
    void forget_workers(timestamp seen_before) {
        database_.execute("DELETE FROM bulk_workers WHERE seen_at < ?1", seen_before);
    }

    [[nodiscard]] std::vector<worker_record> find_workers(std::size_t most) {
        std::vector<worker_record> found;
        static const auto sql = concat("SELECT ", list_of(worker_columns::all),
                                       " FROM bulk_workers ORDER BY seen_at DESC LIMIT ?1");
        auto row = database_.rows(sql, most);
        while (row.next())
            std::apply([&](auto&... into) { row.read(into...); },
                       worker_columns::fields(found.emplace_back()));
        return found;
    }

private:
    session& database_;
};

}  // namespace bulk::sqlite
