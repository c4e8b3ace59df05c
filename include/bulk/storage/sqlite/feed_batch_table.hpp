// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/statement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// The columns of `bulk_feed_batches` that are fields of a batch, and which field each holds.
inline constexpr std::array batch_fields{
    column_of<&open_batch::number>("number"),
    column_as<as_bytes, &open_batch::first>("first"),
    column_as<as_bytes, &open_batch::last>("last"),
    column_of<&open_batch::fence>("fence"),
    column_of<&open_batch::deliveries>("deliveries"),
    column_of<&open_batch::leased_until>("leased_until"),
    column_of<&open_batch::worker>("worker"),
};

/// Batches of runs that are being consolidated, within a transaction. Whoever saves one is who has
/// it: `holder` is the process that this is.
class feed_batch_table {
public:
    feed_batch_table(session& database, std::string_view holder)
        : database_{database}, holder_{holder} {}

    [[nodiscard]] std::optional<open_batch> find_batch(const feed_run& run, std::uint64_t number) {
        static const auto sql = select("WHERE run = ?1 AND number = ?2");
        return first(database_.rows(sql, run.number, number));
    }

    [[nodiscard]] std::vector<open_batch> batches(const feed_run& run) {
        static const auto sql = select("WHERE run = ?1 ORDER BY number");
        std::vector<open_batch> found;
        auto row = database_.rows(sql, run.number);
        while (row.next()) found.push_back(from(row));
        return found;
    }

    void insert_batch(const feed_run& run, const open_batch& batch) {
        static const auto sql = insert_into("bulk_feed_batches", written);
        write(sql, run, batch);
    }

    void save_batch(const feed_run& run, const open_batch& batch) {
        static const auto sql = update_of("bulk_feed_batches", written, keys);
        write(sql, run, batch);
    }

    void remove_batch(const feed_run& run, std::uint64_t number) {
        database_.execute("DELETE FROM bulk_feed_batches WHERE run = ?1 AND number = ?2",
                          run.number, number);
    }

    /// The one of the run whose lease ends first; there are as many as there are workers.
    [[nodiscard]] std::optional<open_batch> next_lapse(const feed_run& run) {
        static const auto sql = select("WHERE run = ?1 ORDER BY leased_until, number LIMIT 1");
        return first(database_.rows(sql, run.number));
    }

private:
    static constexpr auto columns = names_of(batch_fields);
    static constexpr auto written = joined(std::array<std::string_view, 1>{"run"}, columns,
                                           std::array<std::string_view, 1>{"holder"});
    /// `run` and `number`.
    static constexpr std::size_t keys = 2;

    [[nodiscard]] static std::string select(std::string_view rest) {
        return concat("SELECT ", list_of(columns), " FROM bulk_feed_batches ", rest);
    }

    void write(const std::string& sql, const feed_run& run, const open_batch& batch) {
        database_.execute(sql, run.number, fields{batch_fields, batch}, holder_);
    }

    [[nodiscard]] static open_batch from(const row_stream& row) {
        open_batch batch;
        read_fields(row, batch_fields, batch);
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
