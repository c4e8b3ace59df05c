// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/record_columns.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/waits.hpp>
#include <bulk/storage/window_page.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace bulk::sqlite {

/// The page that a row is in, and its place there.
[[nodiscard]] constexpr std::uint64_t page_of(std::uint64_t row) {
    return (row - 1) / rows_per_page;
}
[[nodiscard]] constexpr std::uint64_t place_in_page(std::uint64_t row) {
    return (row - 1) % rows_per_page;
}
[[nodiscard]] constexpr std::uint64_t first_row_of(std::uint64_t page) {
    return page * rows_per_page + 1;
}

/// From the columns row and step.
[[nodiscard]] inline record_place place_in(const row_stream& stream) {
    row_number row{};
    step_index step{};
    stream.read(row, step);
    return {row, step};
}

/// The row records of one operation, within a transaction: pages for what went well at once, a
/// record apart for everything else, which wins.
class row_table {
public:
    row_table(session& database, operation_id id, std::int64_t operation)
        : database_{database}, id_{id}, operation_{operation} {}

    /// Each page is read and written once, so that its size is what a batch costs. With a window for each
    /// row and batches of one row that would be 32 KiB a row: then times become less exact.
    void add(std::span<const rows_completed> all) {
        std::map<std::uint64_t, window_page> pages;
        std::uint64_t rows = 0;
        for (const auto& each : all) {
            add(each, pages);
            rows += each.rows;
        }
        for (auto& [number, windows] : pages) {
            if (windows.windows().size() > std::max(few_windows, rows * windows_per_row))
                windows.join_within(precision_of_large_pages);
            put_page(number, windows);
        }
    }

    void add(const rows_completed& completed, std::map<std::uint64_t, window_page>& pages) {
        auto row = to_number(completed.first_row);
        for (auto left = completed.rows; left > 0 && !database_.failure();) {
            const auto first = place_in_page(row);
            const auto here = std::min(left, rows_per_page - first);
            const auto [at, is_new] = pages.try_emplace(page_of(row));
            if (is_new) at->second = page(page_of(row));
            at->second.add({.first = static_cast<std::uint16_t>(first),
                            .count = static_cast<std::uint16_t>(here),
                            .first_step = completed.first_step,
                            .last_step = completed.last_step,
                            .started_at = completed.started_at,
                            .took = completed.completed_at - completed.started_at});
            row += here;
            left -= here;
        }
    }

    void put_record(const row_record& record, wait_end end) {
        static constexpr auto columns = joined(record_columns::key, record_columns::content);
        static const auto sql = insert_sealed(
            "INSERT OR REPLACE", "bulk_records", columns,
            {{"seal", record_columns::sealed_state}, {"texts_seal", record_columns::sealed_texts}});
        database_.execute(sql, operation_, record.row, record.step,
                          fields{record_columns::attempt_fields, record}, end,
                          fields{record_columns::time_fields, record},
                          fields{record_columns::text_fields, record});
        if (!record.row_id.empty()) put_id(record.row, record.row_id);
    }

    void put_id(row_number row, std::string_view id) {
        database_.execute(
            "INSERT OR REPLACE INTO bulk_row_ids (operation, row, id, seal) VALUES (?1, ?2, ?3, "
            "bulk_seal(?1, ?2, ?3))",
            operation_, row, id);
    }

    /// Empty if nothing of it was completed yet.
    [[nodiscard]] window_page page(std::uint64_t number) {
        static const auto sql = select_pages("operation = ?1 AND page = ?2");
        auto row = database_.rows(sql, operation_, number);
        return row.next() ? decoded(row) : window_page{};
    }

    void put_page(std::uint64_t number, const window_page& windows) {
        database_.execute(
            "INSERT OR REPLACE INTO bulk_pages (operation, page, windows, seal) VALUES (?1, ?2, "
            "?3, bulk_seal(?1, ?2, ?3))",
            operation_, number, blob{to_bytes(windows)});
    }

    [[nodiscard]] std::string row_id(row_number row) {
        static const auto sql = concat("SELECT seal IS ", seals::row_id,
                                       ", id FROM bulk_row_ids WHERE operation = ?1 AND row = ?2");
        bool is_intact = false;
        std::string id;
        auto found = database_.rows(sql, operation_, row);
        if (!found.next()) return id;
        found.read(is_intact, id);
        if (!is_intact) note_damage(row, "row id");
        return id;
    }

    [[nodiscard]] std::optional<row_record> apart(row_number row, step_index step) {
        static const auto sql =
            concat("SELECT seal IS ", seals::record, " AND texts_seal IS ", seals::texts, ", ",
                   list_of(record_columns::content),
                   " FROM bulk_records WHERE operation = ?1 AND row = ?2 AND step = ?3");
        auto found = database_.rows(sql, operation_, row, step);
        if (!found.next()) return std::nullopt;
        bool is_intact = false;
        row_record record{.operation = id_, .row = row, .step = step};
        auto end = wait_end::none;
        found.read(is_intact);
        record_columns::read(found, record, end, 1);
        if (!is_intact) note_damage(row, "record", step);
        return record;
    }

    /// `windows` is the page of the row.
    [[nodiscard]] std::optional<row_record> get(row_number row, step_index step,
                                                const window_page& windows) {
        auto record = apart(row, step);
        if (!record) {
            const auto* window = windows.find(place_in_page(to_number(row)), step);
            if (window == nullptr) return std::nullopt;
            record = {.operation = id_,
                      .row = row,
                      .step = step,
                      .state = row_state::completed,
                      .attempt = 1,
                      .started_at = window->started_at,
                      .completed_at = window->completed_at()};
        }
        record->row_id = row_id(row);
        return record;
    }

    [[nodiscard]] std::optional<row_record> get(row_number row, step_index step) {
        return get(row, step, page(page_of(to_number(row))));
    }

    /// How far the rows from `first` on are: what the pages say, and over it the records apart.
    void progress(row_number first, std::span<std::optional<row_progress>> into) {
        if (into.empty()) return;
        const auto from = to_number(first), end = from + into.size();
        {
            static const auto sql = select_pages("operation = ?1 AND page BETWEEN ?2 AND ?3");
            auto row = database_.rows(sql, operation_, page_of(std::max<std::uint64_t>(from, 1)),
                                      page_of(end));
            while (row.next()) {
                std::uint64_t number = 0;
                row.read(number);
                const auto base = first_row_of(number);
                const auto windows = decoded(row);
                for (const auto& each : windows.windows())
                    for (auto at = std::max(base + each.first, from);
                         at < std::min(base + each.end(), end); ++at)
                        if (auto& found = into[at - from]; !found || found->step < each.last_step)
                            found = {each.last_step, row_state::completed, 1, 0};
            }
        }
        static const auto sql =
            concat("SELECT row, seal IS ", seals::record,
                   ", step, state, attempt, retry_attempt FROM bulk_records WHERE operation = ?1 "
                   "AND row BETWEEN ?2 AND ?3 ORDER BY row, step");
        auto row = database_.rows(sql, operation_, from, end - 1);
        while (row.next()) {
            std::uint64_t number = 0;
            bool is_intact = false;
            row_progress each;
            row.read(number, is_intact, each.step, each.state, each.attempt, each.retry_attempt);
            if (!is_intact) return note_damage(row_number{number}, "record", each.step);
            if (auto& found = into[number - from]; !found || each.step >= found->step) found = each;
        }
    }

    /// Of a row of `select_pages`.
    [[nodiscard]] window_page decoded(const row_stream& row) {
        std::uint64_t number = 0;
        bool is_intact = false;
        page_bytes bytes;
        row.read(number, is_intact, bytes);
        if (is_intact)
            if (auto page = windows_from_bytes(bytes.seen)) return std::move(*page);
        database_.note(damaged_rows(id_, first_row_of(number), first_row_of(number + 1) - 1,
                                    "page of row records"));
        return {};
    }

    void note_damage(row_number row, std::string_view what,
                     std::optional<step_index> step = std::nullopt) {
        database_.note(damaged_row(id_, row, what, step));
    }

    [[nodiscard]] session& database() { return database_; }
    [[nodiscard]] operation_id id() const { return id_; }
    [[nodiscard]] std::int64_t operation() const { return operation_; }

private:
    /// Valid until the next row.
    struct page_bytes {
        std::string_view seen{};
        void take(std::string_view stored) { seen = stored; }
    };

    [[nodiscard]] static std::string select_pages(std::string_view which) {
        return concat("SELECT page, seal IS ", seals::page, ", windows FROM bulk_pages WHERE ",
                      which);
    }

    /// A page of so many windows is about one of SQLite's.
    static constexpr std::uint64_t few_windows = 256;
    /// That may be rewritten for each row of a batch: batches of a hundred rows keep all times.
    static constexpr std::uint64_t windows_per_row = 64;
    static constexpr std::chrono::milliseconds precision_of_large_pages{10};

    session& database_;
    operation_id id_;
    std::int64_t operation_;
};

}  // namespace bulk::sqlite
