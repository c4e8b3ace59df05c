// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/stored_run.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace bulk::sqlite {

/// Runs of feeds, and where the feeds stand, within a transaction.
class feed_run_table {
public:
    explicit feed_run_table(session& database) : database_{database} {}

    [[nodiscard]] std::optional<feed_run> find_run(run_id id) {
        static const auto sql = select("WHERE id = ?1");
        return first(database_.rows(sql, id));
    }

    [[nodiscard]] std::optional<feed_run> newest_run(const std::string& feed) {
        static const auto sql =
            select(concat("WHERE feed = ", feed_named, " ORDER BY number DESC"));
        return first(database_.rows(sql, folded(feed)));
    }

    /// Newest first is by number: clocks of several machines may differ.
    [[nodiscard]] page<feed_run> find_runs(const run_query& query,
                                           std::optional<std::uint64_t> before) {
        page<feed_run> found;
        std::string which = "WHERE true";
        if (!query.feed.empty()) which += concat(" AND feed = ", feed_named);
        if (query.type) which += " AND type = ?2";
        if (query.started_from) which += " AND started_at >= ?3";
        if (query.started_to) which += " AND started_at <= ?4";
        if (before) which += " AND number < ?5";
        if (query.active_only) which += " AND is_active = 1";
        auto row =
            database_.rows(select(concat(which, " ORDER BY number DESC")), folded(query.feed),
                           query.type, query.started_from, query.started_to, before);
        while (found.items.size() < query.page_size && row.next()) {
            auto run = stored_run::from(row);
            if (query.state && state_of(run, query.now, query.stall_after) != *query.state)
                continue;
            found.items.push_back(std::move(run));
        }
        return found;
    }

    [[nodiscard]] feed_run insert_run(feed_run run) {
        static const auto sql = insert_into("bulk_feed_runs", written);
        std::uint64_t feed = 0;
        {
            auto row = database_.rows(
                "INSERT INTO bulk_feeds (folded_name, runs) VALUES (?1, 1) ON CONFLICT DO UPDATE "
                "SET runs = runs + 1 RETURNING number, runs",
                folded(run.feed));
            if (row.next()) row.read(feed, run.feed_number);
        }
        write(sql, run, is_active(run), feed);
        run.number = static_cast<std::uint64_t>(database_.inserted());
        return run;
    }

    /// With every page: what is in an index is written only when it changes, as SQLite would write
    /// the index each time.
    void save_run(const feed_run& run) {
        static const auto sql =
            update_of("bulk_feed_runs", column_names{written}.first(written.size() - 2), 1);
        write(sql, run);
        database_.execute(
            "UPDATE bulk_feed_runs SET is_active = ?2 WHERE id = ?1 AND is_active <> ?2", run.id,
            is_active(run));
    }

    void remove_run(const feed_run& run) {
        for (const std::string_view table : std::array<std::string_view, 4>{
                 "bulk_feed_partitions", "bulk_feed_batches", "bulk_feed_raw", "bulk_feed_bad"})
            database_.execute(concat("DELETE FROM ", table, " WHERE run = ?1"), run.number);
        database_.execute("DELETE FROM bulk_events WHERE operation = ?1", run.id);
        database_.execute("DELETE FROM bulk_feed_runs WHERE number = ?1", run.number);
    }

    /// Of these feeds, oldest first. There are few: a feed has one at most.
    [[nodiscard]] std::vector<feed_run> active_runs(const std::vector<std::string>& feeds) {
        static const auto sql = select("WHERE is_active = 1 ORDER BY number");
        std::vector<feed_run> found;
        auto row = database_.rows(sql);
        while (row.next()) {
            auto run = stored_run::from(row);
            if (std::ranges::any_of(
                    feeds, [&](const std::string& known) { return same_name(known, run.feed); }))
                found.push_back(std::move(run));
        }
        return found;
    }

    [[nodiscard]] watermark standing(const std::string& feed) {
        watermark found{.feed = feed};
        auto row = database_.rows(
            "SELECT watermark, moved_by, moved_at, version FROM bulk_feeds WHERE folded_name = ?1",
            folded(feed));
        if (row.next()) row.read(found.value, found.run, found.moved_at, found.version);
        return found;
    }

    void save_standing(const watermark& standing) {
        database_.execute(
            "INSERT INTO bulk_feeds (folded_name, watermark, moved_by, moved_at, version) VALUES "
            "(?1, ?2, ?3, ?4, ?5) ON CONFLICT (folded_name) DO UPDATE SET watermark = ?2, moved_by "
            "= ?3, moved_at = ?4, version = ?5",
            folded(standing.feed), standing.value, standing.run, standing.moved_at,
            standing.version);
    }

private:
    static constexpr std::string_view feed_named =
        "(SELECT number FROM bulk_feeds WHERE folded_name = ?1)";

    /// All but the number, which is the table's to give; then what is not of the run itself: whether it
    /// is active, which follows from the rest and is kept to be looked for, and the feed.
    static constexpr auto written = [] {
        std::array<std::string_view, stored_run::columns.size() + 1> names{};
        std::ranges::copy(stored_run::columns.begin() + 1, stored_run::columns.end(),
                          names.begin());
        names[names.size() - 2] = "is_active";
        names.back() = "feed";
        return names;
    }();

    [[nodiscard]] static std::string select(std::string_view rest) {
        return concat("SELECT ", list_of(stored_run::columns), " FROM bulk_feed_runs ", rest);
    }

    [[nodiscard]] static std::optional<feed_run> first(row_stream row) {
        if (!row.next()) return std::nullopt;
        return stored_run::from(row);
    }

    template <typename... More>
    void write(const std::string& sql, const feed_run& run, const More&... more) {
        const auto but_number = std::span{stored_run::all}.subspan(1);
        database_.execute(sql, fields<feed_run>{but_number, run}, more...);
    }

    session& database_;
};

}  // namespace bulk::sqlite
