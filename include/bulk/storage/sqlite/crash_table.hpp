// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/flight_recorder.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/presence.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>

#include <optional>
#include <vector>

namespace bulk::sqlite {

/// Processes that died, within a transaction.
class crash_table {
public:
    explicit crash_table(session& database) : database_{database} {}

    /// What a dead process had can be claimed at once; the rows that it was at. Doing it twice changes
    /// nothing.
    [[nodiscard]] std::vector<row_in_flight> release(const dead_process& process) {
        std::vector<row_in_flight> rows;
        for (const auto& each : process.rows()) {
            auto held = database_.rows(
                "SELECT 1 FROM bulk_operations WHERE id = ?1 AND holder = ?2 AND lease_until IS "
                "NOT NULL",
                each.operation, process.name());
            if (held.next()) rows.push_back(each);
        }
        // A damaged one keeps its seal, and so is found to be damaged by whoever claims it.
        static const auto free_operations = concat(
            "UPDATE bulk_operations SET lease_until = 0, holder = '', progress_seal = "
            "iif(progress_seal IS ",
            seals::progress, ", ",
            seal_of(operation_columns::progress, {{"lease_until", "0"}, {"holder", "''"}}),
            ", progress_seal) WHERE holder = ?1 AND lease_until IS NOT NULL");
        database_.execute(free_operations, process.name());
        // A page of a feed was delivered, though nobody came back: it is lapsed, not given back.
        static const auto free_partitions = concat(
            "UPDATE bulk_feed_partitions INDEXED BY bulk_feed_partitions_open SET leased_until = "
            "0, holder = '' WHERE ",
            open_partition, " AND holder = ?1 AND leased_until IS NOT NULL");
        database_.execute(free_partitions, process.name());
        database_.execute(
            "UPDATE bulk_feed_batches SET leased_until = 0, holder = '' WHERE holder = ?1",
            process.name());
        return rows;
    }

    /// A damaged number of crashes is not found to be so here, but by who reads it: a claim goes on.
    [[nodiscard]] std::optional<crashed_row> find_crash(const operation_key& key, row_number row) {
        auto found = database_.rows(
            "SELECT row, step, count FROM bulk_crashes WHERE operation = ?1 AND row = ?2",
            key.number, row);
        if (!found.next()) return std::nullopt;
        crashed_row crash;
        found.read(crash.row, crash.step, crash.count);
        return crash;
    }

    /// What was damaged stays so.
    void put_crash(const operation_key& key, const crashed_row& crash) {
        static const auto sql = concat(
            "INSERT INTO bulk_crashes (operation, row, step, count, seal) VALUES (?1, ?2, ?3, ?4, "
            "bulk_seal(?1, ?2, ?3, ?4)) ON CONFLICT DO UPDATE SET step = excluded.step, count = "
            "excluded.count, seal = iif(seal IS ",
            seals::crash, ", excluded.seal, seal)");
        database_.execute(sql, key.number, crash.row, crash.step, crash.count);
    }

    [[nodiscard]] std::vector<crashed_row> crashes(const operation_key& key) {
        std::vector<crashed_row> found;
        static const auto sql = concat("SELECT row, step, count, seal IS ", seals::crash,
                                       " FROM bulk_crashes WHERE operation = ?1 ORDER BY row");
        auto row = database_.rows(sql, key.number);
        while (row.next()) {
            auto& each = found.emplace_back();
            bool is_intact = false;
            row.read(each.row, each.step, each.count, is_intact);
            if (!is_intact) database_.note(damaged_row(key.id, each.row, "number of crashes"));
        }
        return found;
    }

    void forget_crashes(const operation_key& key) {
        database_.execute("DELETE FROM bulk_crashes WHERE operation = ?1", key.number);
    }

private:
    session& database_;
};

}  // namespace bulk::sqlite
