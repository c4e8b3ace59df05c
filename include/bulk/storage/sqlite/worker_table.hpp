// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace bulk::sqlite {

/// The columns of `bulk_workers`, and which field each holds.
inline constexpr std::tuple worker_fields{
    column{"id", &worker_record::id},
    column{"kind", &worker_record::kind},
    column{"pid", &worker_record::pid},
    column{"started_at", &worker_record::started_at},
    column{"seen_at", &worker_record::seen_at},
    column{"silent_after", &worker_record::silent_after},
    column{"running_operations", &worker_record::running_operations},
    column{"running_pages", &worker_record::running_pages},
    column{"name", &worker_record::name},
    column{"host", &worker_record::host},
};
inline constexpr auto worker_columns = names_of(worker_fields);

/// Who works, as they have said themselves, within a transaction.
class worker_table {
public:
    explicit worker_table(session& database) : database_{database} {}

    void put_worker(const worker_record& record) {
        static const std::string sql =
            insert_sealed("INSERT OR REPLACE", "bulk_workers", worker_columns, {});
        std::apply([&](const auto&... each) { database_.execute(sql, each...); },
                   fields_of(worker_fields, record));
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
        while (row.next())
            std::apply([&](auto&... into) { row.read(into...); },
                       fields_of(worker_fields, found.emplace_back()));
        return found;
    }

private:
    session& database_;
};

}  // namespace bulk::sqlite
