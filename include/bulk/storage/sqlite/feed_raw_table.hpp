// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// A hash as SQLite's numbers hold it, whose bits are the same.
[[nodiscard]] constexpr std::int64_t signed_bits(std::uint64_t hash) {
    return static_cast<std::int64_t>(hash);
}

/// Items of runs that are not consolidated yet, or cannot be, within a transaction.
class feed_raw_table {
public:
    explicit feed_raw_table(session& database) : database_{database} {}

    [[nodiscard]] bool put_raw(const feed_run& run, const raw_item& item) {
        // Nearly all are new: those cost one statement.
        const auto added = database_.execute(
            "INSERT INTO bulk_feed_raw (run, key, hash, payload) VALUES (?1, ?2, ?3, ?4) ON "
            "CONFLICT DO NOTHING",
            run.number, blob{item.key}, signed_bits(item.hash), item.payload);
        if (added > 0) return true;
        database_.execute(
            "UPDATE bulk_feed_raw SET hash = ?3, payload = ?4 WHERE run = ?1 AND key = ?2",
            run.number, blob{item.key}, signed_bits(item.hash), item.payload);
        return false;
    }

    [[nodiscard]] bool drop_raw(const feed_run& run, const std::string& key) {
        return database_.execute("DELETE FROM bulk_feed_raw WHERE run = ?1 AND key = ?2",
                                 run.number, blob{key}) > 0;
    }

    [[nodiscard]] bool put_bad(const feed_run& run, const bad_item& bad) {
        const auto added = database_.execute(
            "INSERT INTO bulk_feed_bad (run, key, is_keyless, hash, reason, payload) VALUES (?1, "
            "?2, 1, 0, ?3, ?4) ON CONFLICT DO NOTHING",
            run.number, blob{bad.key}, bad.reason, bad.payload);
        if (added > 0) return true;
        database_.execute(
            "UPDATE bulk_feed_bad SET reason = ?3, payload = ?4 WHERE run = ?1 AND key = ?2 AND "
            "is_keyless = 1",
            run.number, blob{bad.key}, bad.reason, bad.payload);
        return false;
    }

    [[nodiscard]] bool mark_bad(const feed_run& run, const std::string& key,
                                const std::string& reason) {
        database_.execute(
            "INSERT INTO bulk_feed_bad (run, key, is_keyless, hash, reason, payload) SELECT run, "
            "key, 0, hash, ?3, payload FROM bulk_feed_raw WHERE run = ?1 AND key = ?2",
            run.number, blob{key}, reason);
        return drop_raw(run, key);
    }

    [[nodiscard]] std::uint64_t reset_bad(const feed_run& run) {
        database_.execute(
            "INSERT INTO bulk_feed_raw (run, key, hash, payload) SELECT run, key, hash, payload "
            "FROM bulk_feed_bad WHERE run = ?1 AND is_keyless = 0",
            run.number);
        return database_.execute("DELETE FROM bulk_feed_bad WHERE run = ?1 AND is_keyless = 0",
                                 run.number);
    }

    [[nodiscard]] std::vector<bad_item> bad_items(const feed_run& run, const std::string& after,
                                                  std::uint32_t limit) {
        std::vector<bad_item> found;
        auto row = database_.rows(
            "SELECT key, payload, reason FROM bulk_feed_bad WHERE run = ?1 AND key > ?2 ORDER BY "
            "key, is_keyless LIMIT ?3",
            run.number, blob{after}, limit);
        while (row.next()) {
            auto& each = found.emplace_back();
            row.read(each.key, each.payload, each.reason);
        }
        return found;
    }

    [[nodiscard]] std::vector<raw_item> pending_items(const feed_run& run, const std::string& after,
                                                      std::uint32_t limit) {
        return pending(
            "SELECT key, hash, payload FROM bulk_feed_raw WHERE run = ?1 AND key > ?2 ORDER BY key "
            "LIMIT ?3",
            run, blob{after}, limit);
    }

    [[nodiscard]] std::vector<raw_item> pending_between(const feed_run& run,
                                                        const std::string& first,
                                                        const std::string& last,
                                                        std::uint32_t limit) {
        return pending(
            "SELECT key, hash, payload FROM bulk_feed_raw WHERE run = ?1 AND key BETWEEN ?2 AND ?3 "
            "ORDER BY key LIMIT ?4",
            run, blob{first}, blob{last}, limit);
    }

    void forget_older_items(const feed_run& run) {
        for (const std::string_view sql :
             {"DELETE FROM bulk_feed_raw WHERE run IN (SELECT number FROM bulk_feed_runs WHERE "
              "feed = (SELECT feed FROM bulk_feed_runs WHERE number = ?1) AND number < ?1)",
              "DELETE FROM bulk_feed_bad WHERE run IN (SELECT number FROM bulk_feed_runs WHERE "
              "feed = (SELECT feed FROM bulk_feed_runs WHERE number = ?1) AND number < ?1)"})
            database_.execute(sql, run.number);
    }

private:
    template <typename... Which>
    [[nodiscard]] std::vector<raw_item> pending(std::string_view sql, const feed_run& run,
                                                const Which&... which) {
        std::vector<raw_item> found;
        auto row = database_.rows(sql, run.number, which...);
        while (row.next()) {
            auto& each = found.emplace_back();
            row.read(each.key, each.hash, each.payload);
        }
        return found;
    }

    session& database_;
};

}  // namespace bulk::sqlite
