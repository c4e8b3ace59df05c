// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstdint>
#include <vector>

namespace bulk::sqlite {

/// How often processes died at rows of one operation, within a transaction.
class crash_table {
public:
    crash_table(session& database, std::int64_t operation)
        : database_{database}, operation_{operation} {}

    void count(const std::vector<row_in_flight>& rows) {
        for (const auto& each : rows)
            database_.execute(
                "INSERT INTO bulk_crashes (operation, row, step, count) VALUES (?1, ?2, ?3, 1) ON "
                "CONFLICT DO UPDATE SET step = excluded.step, count = count + 1",
                operation_, each.row, each.step);
    }

    [[nodiscard]] std::vector<crashed_row> all() {
        std::vector<crashed_row> found;
        auto row = database_.rows(
            "SELECT row, step, count FROM bulk_crashes WHERE operation = ?1 ORDER BY row",
            operation_);
        while (row.next()) {
            auto& each = found.emplace_back();
            row.read(each.row, each.step, each.count);
        }
        return found;
    }

    /// Its rows begin anew.
    void forget() {
        database_.execute("DELETE FROM bulk_crashes WHERE operation = ?1", operation_);
    }

private:
    session& database_;
    std::int64_t operation_;
};

}  // namespace bulk::sqlite
