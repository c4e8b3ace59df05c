// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bulk::sqlite {

/// The columns of `bulk_workers`, and which field each holds.
inline constexpr std::array worker_fields{
    column_of<&worker_record::id>("id"),
    column_of<&worker_record::kind>("kind"),
    column_of<&worker_record::pid>("pid"),
    column_of<&worker_record::started_at>("started_at"),
    column_of<&worker_record::seen_at>("seen_at"),
    column_of<&worker_record::silent_after>("silent_after"),
    column_of<&worker_record::running_operations>("running_operations"),
    column_of<&worker_record::running_pages>("running_pages"),
    column_of<&worker_record::name>("name"),
    column_of<&worker_record::host>("host"),
};
inline constexpr auto worker_columns = names_of(worker_fields);

/// Who works, as they have said themselves, within a transaction.
class worker_table {
public:
    explicit worker_table(session& database) : database_{database} {}

    void put_worker(const worker_record& record) {
        static const std::string sql =
            insert_sealed("INSERT OR REPLACE", "bulk_workers", worker_columns, {});
        database_.execute(sql, fields{worker_fields, record});
    }

    void remove_worker(worker_id id) {
        database_.execute("DELETE FROM bulk_workers WHERE id = ?1", id);
    }
    void forget_workers(timestamp seen_before) {
        database_.execute("DELETE FROM bulk_workers WHERE seen_at < ?1", seen_before);
    }

    [[nodiscard]] std::vector<worker_record> find_workers(std::size_t most) {
        std::vector<worker_record> found;
        static const auto sql = concat("SELECT ", list_of(worker_columns),
                                       " FROM bulk_workers ORDER BY seen_at DESC LIMIT ?1");
        auto row = database_.rows(sql, most);
        while (row.next()) read_fields(row, worker_fields, found.emplace_back());
        return found;
    }

private:
    session& database_;
};

}  // namespace bulk::sqlite
