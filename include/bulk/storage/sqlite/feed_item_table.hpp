// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/storage/feed_tables.hpp>
#include <bulk/storage/sqlite/feed_raw_table.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bulk::sqlite {

/// The canonical sets of feeds, within a transaction.
class feed_item_table {
public:
    explicit feed_item_table(session& database) : database_{database} {}

    /// Where one item is what it was, the next most likely is, too: that is tried first, and costs one
    /// statement instead of two.
    [[nodiscard]] sighting see(const feed_run& run, const std::string& key, std::uint64_t hash) {
        if (was_same_ && mark_seen(run, key, hash)) return {.is_same = true};
        sighting found;
        {
            std::uint64_t kept = 0, seen = 0;
            bool is_deleted = false;
            auto row = database_.rows(
                "SELECT hash, seen, deleted FROM bulk_feed_items WHERE feed = ?1 AND key = ?2",
                feed_of(run), blob{key});
            if (row.next()) {
                row.read(kept, seen, is_deleted);
                found = {.is_same = kept == hash && !is_deleted, .was_seen = seen == run.number};
            }
        }
        was_same_ = found.is_same;
        if (found.is_same && !found.was_seen) (void)mark_seen(run, key, hash);
        return found;
    }

    void put_item(const feed_run& run, const mapped_item& item, std::uint64_t version,
                  timestamp now) {
        database_.execute(
            "INSERT INTO bulk_feed_items (feed, key, hash, seen, version, deleted, changed_at, "
            "payload) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7) ON CONFLICT DO UPDATE SET hash = ?3, "
            "seen = ?4, version = iif(deleted OR payload <> ?7, ?5, version), changed_at = "
            "iif(deleted OR payload <> ?7, ?6, changed_at), deleted = 0, payload = ?7",
            feed_of(run), blob{item.key}, signed_bits(item.hash), run.number, version, now,
            item.payload);
    }

    /// Once in a run, so it reads the whole set instead of keeping an index for it.
    [[nodiscard]] std::uint64_t remove_unseen(const feed_run& run, std::uint64_t version,
                                              timestamp now) {
        return database_.execute(
            "UPDATE bulk_feed_items SET deleted = 1, version = ?3, changed_at = ?4 WHERE feed = ?1 "
            "AND deleted = 0 AND seen <> ?2 AND NOT EXISTS (SELECT * FROM bulk_feed_raw AS raw "
            "WHERE raw.run = ?2 AND raw.key = bulk_feed_items.key) AND NOT EXISTS (SELECT * FROM "
            "bulk_feed_bad AS bad WHERE bad.run = ?2 AND bad.key = bulk_feed_items.key)",
            feed_of(run), run.number, version, now);
    }

    [[nodiscard]] std::optional<canonical_item> find_item(const std::string& feed,
                                                          const std::string& key) {
        auto row = database_.rows(
            "SELECT key, payload, deleted, version, changed_at FROM bulk_feed_items WHERE feed = "
            "(SELECT number FROM bulk_feeds WHERE folded_name = ?1) AND key = ?2",
            folded(feed), blob{key});
        if (!row.next()) return std::nullopt;
        return from(row);
    }

    /// Those that changed are found by walking over the others. Each page goes on where the one before
    /// has ended, so whoever asks for all of them reads the set once; an index would cost every item
    /// that is stored.
    [[nodiscard]] page<canonical_item> find_items(const item_query& query,
                                                  const std::optional<std::string>& after) {
        page<canonical_item> found;
        auto row = database_.rows(
            concat("SELECT key, payload, deleted, version, changed_at FROM bulk_feed_items WHERE "
                   "feed = (SELECT number FROM bulk_feeds WHERE folded_name = ?1) AND ",
                   !after || *after < query.from_key ? "key >= ?2" : "key > ?3",
                   query.with_deleted ? "" : " AND deleted = 0",
                   query.changed_since > 0 ? " AND version > ?4" : "", " ORDER BY key LIMIT ?5"),
            folded(query.feed), blob{query.from_key}, blob{after ? *after : query.from_key},
            query.changed_since, query.page_size);
        while (row.next()) found.items.push_back(from(row));
        return found;
    }

private:
    [[nodiscard]] static canonical_item from(const row_stream& row) {
        canonical_item item;
        row.read(item.key, item.payload, item.is_deleted, item.version, item.changed_at);
        return item;
    }

    /// If it is what it was, and was not seen in this run before.
    [[nodiscard]] bool mark_seen(const feed_run& run, const std::string& key, std::uint64_t hash) {
        return database_.execute(
                   "UPDATE bulk_feed_items SET seen = ?4 WHERE feed = ?1 AND key = ?2 AND hash = "
                   "?3 AND deleted = 0 AND seen <> ?4",
                   feed_of(run), blob{key}, signed_bits(hash), run.number) > 0;
    }

    /// Looked up once in a transaction, which is about one run.
    [[nodiscard]] std::int64_t feed_of(const feed_run& run) {
        if (known_run_ == run.number) return known_feed_;
        auto row = database_.rows("SELECT feed FROM bulk_feed_runs WHERE number = ?1", run.number);
        if (row.next()) row.read(known_feed_);
        known_run_ = run.number;
        return known_feed_;
    }

    session& database_;
    std::uint64_t known_run_ = 0;  ///< numbers begin with 1
    std::int64_t known_feed_ = 0;
    bool was_same_ = false;  ///< the last one that was seen
};

}  // namespace bulk::sqlite
