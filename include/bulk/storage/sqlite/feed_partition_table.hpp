// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>
#include <bulk/storage/sqlite/stored_run.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace bulk::sqlite {

/// Partitions of runs, within a transaction. Whoever saves one that is leased is who has it: `holder`
/// is the process that this is.
class feed_partition_table {
public:
    feed_partition_table(session& database, std::string_view holder)
        : database_{database}, holder_{holder} {}

    [[nodiscard]] std::vector<feed_partition> partitions(const feed_run& run) {
        static const auto sql = select("WHERE run = ?1 ORDER BY number");
        std::vector<feed_partition> found;
        auto row = database_.rows(sql, run.number);
        while (row.next()) found.push_back(stored_partition::from(row, run.id));
        return found;
    }

    [[nodiscard]] std::optional<feed_partition> find_partition(const feed_run& run,
                                                               std::uint32_t number) {
        static const auto sql = select("WHERE run = ?1 AND number = ?2");
        auto row = database_.rows(sql, run.number, number);
        if (!row.next()) return std::nullopt;
        return stored_partition::from(row, run.id);
    }

    void insert_partition(const feed_run& run, const feed_partition& part) {
        static const auto sql = insert_into("bulk_feed_partitions", written);
        write(sql, run, part);
    }

    /// With every page: what is in an index is written only when it changes, as SQLite would write
    /// the index each time.
    void save_partition(const feed_run& run, const feed_partition& part) {
        static const auto sql = update_of("bulk_feed_partitions", written, indexed_keys);
        database_.execute(
            "UPDATE bulk_feed_partitions SET state = ?3, due = ?4 WHERE run = ?1 AND number = ?2 "
            "AND (state <> ?3 OR due <> ?4)",
            run.number, part.number, part.state, part.due);
        write(sql, run, part);
    }

    /// The one of the run that is due longest. Those that are leased are passed by: as many as there
    /// are workers.
    [[nodiscard]] std::optional<feed_partition> claimable_of(const feed_run& run, timestamp now,
                                                             timestamp lapsed_by) {
        static const auto sql = select(
            concat("INDEXED BY bulk_feed_partitions_open WHERE run = ?1 AND ", open_partition,
                   " AND due <= ?2 AND (leased_until IS NULL OR leased_until <= ?3) ORDER BY due, "
                   "number LIMIT 1"));
        auto row = database_.rows(sql, run.number, now, lapsed_by);
        if (!row.next()) return std::nullopt;
        return stored_partition::from(row, run.id);
    }

    /// When one of the run can be claimed.
    [[nodiscard]] std::optional<timestamp> next_claim(const feed_run& run) {
        std::optional<timestamp> next;
        static const auto sql = concat(
            "SELECT due, leased_until FROM bulk_feed_partitions INDEXED BY "
            "bulk_feed_partitions_open WHERE run = ?1 AND ",
            open_partition, " ORDER BY due");
        auto row = database_.rows(sql, run.number);
        while (row.next()) {
            timestamp due{};
            std::optional<timestamp> leased_until;
            row.read(due, leased_until);
            if (next && due >= *next) break;
            const auto at = std::max(due, leased_until.value_or(due));
            next = std::min(at, next.value_or(at));
        }
        return next;
    }

private:
    static constexpr auto written = [] {
        std::array<std::string_view, stored_partition::columns.size() + 2> names{"run"};
        std::ranges::copy(stored_partition::columns, names.begin() + 1);
        names.back() = "holder";
        return names;
    }();

    /// `run`, `number`, `state` and `due`.
    static constexpr std::size_t indexed_keys = 4;

    [[nodiscard]] static std::string select(std::string_view rest) {
        return concat("SELECT ", list_of(stored_partition::columns), " FROM bulk_feed_partitions ",
                      rest);
    }

    void write(const std::string& sql, const feed_run& run, const feed_partition& part) {
        database_.execute(sql, run.number, fields{stored_partition::all, part},
                          part.leased_until ? holder_ : std::string_view{});
    }

    session& database_;
    std::string_view holder_;
};

}  // namespace bulk::sqlite
