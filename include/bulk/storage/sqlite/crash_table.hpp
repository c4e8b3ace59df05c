// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/presence.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstdint>
#include <vector>

namespace bulk::sqlite {

/// Processes that died, within a transaction.
class crash_table {
public:
    explicit crash_table(session& database) : database_{database} {}

    /// What it had can be claimed at once, and the rows that it was at are counted. Doing it twice
    /// changes nothing.
    void bury(const dead_process& process) {
        for (const auto& each : process.rows()) {
            forget_if_done(each.operation, each.row);
            database_.execute(
                "INSERT INTO bulk_crashes (operation, row, step, count, seal) SELECT number, ?3, "
                "?4, 1, bulk_seal(number, ?3, ?4, 1) FROM bulk_operations WHERE id = ?1 AND holder "
                "= ?2 AND lease_until IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1, "
                "step = excluded.step, seal = iif(seal IS bulk_seal(operation, row, step, count), "
                "bulk_seal(operation, row, excluded.step, count + 1), seal)",
                each.operation, process.name(), each.row, each.step);
        }
        // A damaged one keeps its seal, and so is found to be damaged by whoever claims it.
        static const auto free_operations = concat(
            "UPDATE bulk_operations SET lease_until = 0, holder = '', progress_seal = "
            "iif(progress_seal IS ",
            seals::progress,
            ", bulk_seal(number, version, total, processed, successful, failed, last_step, "
            "fence, 0, owner, ''), progress_seal) WHERE holder = ?1 AND lease_until IS NOT "
            "NULL");
        database_.execute(free_operations, process.name());
        // A page of a feed was delivered, though nobody came back: it is lapsed, not given back.
        database_.execute(
            "UPDATE bulk_feed_partitions INDEXED BY bulk_feed_partitions_open SET leased_until = "
            "0, holder = '' WHERE state < 2 AND holder = ?1 AND leased_until IS NOT NULL",
            process.name());
        database_.execute(
            "UPDATE bulk_feed_batches SET leased_until = 0, holder = '' WHERE holder = ?1",
            process.name());
    }

    [[nodiscard]] std::vector<crashed_row> of(operation_id id, std::int64_t operation) {
        std::vector<crashed_row> found;
        static const auto sql = concat("SELECT row, step, count, seal IS ", seals::crash,
                                       " FROM bulk_crashes WHERE operation = ?1 ORDER BY row");
        auto row = database_.rows(sql, operation);
        while (row.next()) {
            auto& each = found.emplace_back();
            bool is_intact = false;
            row.read(each.row, each.step, each.count, is_intact);
            if (!is_intact) database_.note(damaged_row(id, each.row, "number of crashes"));
        }
        return found;
    }

    void forget(std::int64_t operation) {
        database_.execute("DELETE FROM bulk_crashes WHERE operation = ?1", operation);
    }

private:
    /// A row that has done the step at which it was counted is counted anew.
    void forget_if_done(operation_id id, row_number row) {
        std::int64_t operation = 0;
        step_index step{};
        {
            auto found = database_.rows(
                "SELECT c.operation, c.step FROM bulk_crashes c JOIN bulk_operations o ON o.number "
                "= c.operation WHERE o.id = ?1 AND c.row = ?2",
                id, row);
            if (!found.next()) return;
            found.read(operation, step);
        }
        row_table rows{database_, id, operation};
        const auto record = rows.get(row, step, rows.page(page_of(to_number(row))));
        if (record && record->state == row_state::completed)
            database_.execute("DELETE FROM bulk_crashes WHERE operation = ?1 AND row = ?2",
                              operation, row);
    }

    session& database_;
};

}  // namespace bulk::sqlite
