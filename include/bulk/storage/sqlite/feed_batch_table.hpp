// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// Batches of runs that are being consolidated, within a transaction. Whoever saves one is who has
/// it: `holder` is the process that this is.
class feed_batch_table {
public:
    feed_batch_table(session& database, std::string_view holder)
        : database_{database}, holder_{holder} {}

    [[nodiscard]] std::optional<open_batch> find_batch(const feed_run& run, std::uint64_t number) {
        return first(
            database_.rows("SELECT number, first, last, fence, deliveries, leased_until, worker "
                           "FROM bulk_feed_batches WHERE "
                           "run = ?1 AND number = ?2",
                           run.number, number));
    }

    [[nodiscard]] std::vector<open_batch> batches(const feed_run& run) {
        std::vector<open_batch> found;
        auto row = database_.rows(
            "SELECT number, first, last, fence, deliveries, leased_until, worker FROM "
            "bulk_feed_batches WHERE "
            "run = ?1 ORDER BY number",
            run.number);
        while (row.next()) found.push_back(from(row));
        return found;
    }

    void insert_batch(const feed_run& run, const open_batch& batch) {
        database_.execute(
            "INSERT INTO bulk_feed_batches (run, number, first, last, fence, deliveries, "
            "leased_until, worker, holder) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            run.number, batch.number, blob{batch.first}, blob{batch.last}, batch.fence,
            batch.deliveries, batch.leased_until, batch.worker, holder_);
    }

    void save_batch(const feed_run& run, const open_batch& batch) {
        database_.execute(
            "UPDATE bulk_feed_batches SET first = ?3, last = ?4, fence = ?5, deliveries = ?6, "
            "leased_until = ?7, worker = ?8, holder = ?9 WHERE run = ?1 AND number = ?2",
            run.number, batch.number, blob{batch.first}, blob{batch.last}, batch.fence,
            batch.deliveries, batch.leased_until, batch.worker, holder_);
    }

    void remove_batch(const feed_run& run, std::uint64_t number) {
        database_.execute("DELETE FROM bulk_feed_batches WHERE run = ?1 AND number = ?2",
                          run.number, number);
    }

    /// The one of the run whose lease ends first; there are as many as there are workers.
    [[nodiscard]] std::optional<open_batch> next_lapse(const feed_run& run) {
        return first(
            database_.rows("SELECT number, first, last, fence, deliveries, leased_until, worker "
                           "FROM bulk_feed_batches WHERE "
                           "run = ?1 ORDER BY leased_until, number LIMIT 1",
                           run.number));
    }

private:
    [[nodiscard]] static open_batch from(const row_stream& row) {
        open_batch batch;
        row.read(batch.number, batch.first, batch.last, batch.fence, batch.deliveries,
                 batch.leased_until, batch.worker);
        return batch;
    }

    [[nodiscard]] static std::optional<open_batch> first(row_stream row) {
        if (!row.next()) return std::nullopt;
        return from(row);
    }

    session& database_;
    std::string_view holder_;
};

}  // namespace bulk::sqlite
