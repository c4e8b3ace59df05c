// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <bulk/storage/stored_file.hpp>

#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

// What a user writes by hand: fetch a page, upsert it as raw items in one transaction; then take the
// raw items in batches, map them, and upsert a hundred a transaction into the table that is wanted.
// One thread, one connection, no runs, partitions, leases or counters, and nothing to go on from after
// a crash. JSON and hash are the library's, as they are not the question; so are the pragmas.

namespace hand_written {

class statement {
public:
    statement(sqlite3* database, const char* sql) {
        if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr) !=
            SQLITE_OK)
            std::abort();
    }
    statement(const statement&) = delete;
    ~statement() { sqlite3_finalize(handle_); }

    statement& bind(int at, std::string_view text) {
        sqlite3_bind_text(handle_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
        return *this;
    }
    statement& bind(int at, std::int64_t number) {
        sqlite3_bind_int64(handle_, at, number);
        return *this;
    }
    void run() {
        if (next()) std::abort();
        sqlite3_reset(handle_);
    }
    bool next() {
        const int status = sqlite3_step(handle_);
        if (status == SQLITE_ROW) return true;
        if (status != SQLITE_DONE) std::abort();
        sqlite3_reset(handle_);
        return false;
    }
    [[nodiscard]] std::string text(int at) const {
        return {reinterpret_cast<const char*>(sqlite3_column_text(handle_, at)),
                static_cast<std::size_t>(sqlite3_column_bytes(handle_, at))};
    }

private:
    sqlite3_stmt* handle_ = nullptr;
};

class database {
public:
    explicit database(const std::string& path) {
        if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) std::abort();
        for (const char* sql :
             {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
              "PRAGMA cache_size = -2048", "PRAGMA journal_size_limit = 33554432",
              "PRAGMA wal_autocheckpoint = 4000", "PRAGMA temp_store = MEMORY",
              "CREATE TABLE raw (key TEXT PRIMARY KEY, hash INTEGER NOT NULL, consolidated INTEGER "
              "NOT NULL, payload TEXT NOT NULL) WITHOUT ROWID",
              "CREATE TABLE listings (key TEXT PRIMARY KEY, hash INTEGER NOT NULL, payload TEXT "
              "NOT NULL) WITHOUT ROWID"})
            run(sql);
    }
    database(const database&) = delete;
    ~database() { sqlite3_close(handle_); }

    void run(const char* sql) {
        if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
    }
    [[nodiscard]] sqlite3* handle() const { return handle_; }

private:
    sqlite3* handle_ = nullptr;
};

struct raw_row {
    std::string key;
    std::string payload;
};

inline void fetch_all(database& into) {
    statement begin{into.handle(), "BEGIN IMMEDIATE"}, commit{into.handle(), "COMMIT"};
    statement upsert{into.handle(),
                     "INSERT INTO raw (key, hash, consolidated, payload) VALUES (?1, ?2, 0, ?3) ON "
                     "CONFLICT DO UPDATE SET hash = ?2, consolidated = 0, payload = ?3 WHERE hash "
                     "<> ?2"};
    std::string payload;
    for (std::uint64_t at = 0; at < workload::record_count; at += workload::page_size) {
        const auto page = workload::source.page(
            at, std::min<std::uint64_t>(at + workload::page_size, workload::record_count));
        begin.run();
        for (const auto& each : page) {
            payload.clear();
            bulk::json::write_row(payload, each, {.reveal_pii = true});
            const auto hash = static_cast<std::int64_t>(bulk::content_hash(payload));
            upsert.bind(1, each.id).bind(2, hash).bind(3, payload).run();
        }
        commit.run();
    }
}

inline std::uint64_t consolidate_all(database& in) {
    statement begin{in.handle(), "BEGIN IMMEDIATE"}, commit{in.handle(), "COMMIT"};
    statement pick{in.handle(),
                   "SELECT key, payload FROM raw WHERE consolidated = 0 AND key > ?1 ORDER BY key "
                   "LIMIT ?2"};
    statement upsert{in.handle(),
                     "INSERT INTO listings (key, hash, payload) VALUES (?1, ?2, ?3) ON CONFLICT DO "
                     "UPDATE SET hash = ?2, payload = ?3 WHERE hash <> ?2"};
    statement mark{in.handle(), "UPDATE raw SET consolidated = 1 WHERE key = ?1"};
    std::string last, text, payload;
    workload::article raw;
    std::uint64_t done = 0;
    while (true) {
        std::vector<raw_row> batch;
        pick.bind(1, last).bind(2, std::int64_t{workload::batch_size});
        while (pick.next()) batch.push_back({pick.text(0), pick.text(1)});
        if (batch.empty()) return done;
        for (std::size_t at = 0; at < batch.size(); at += workload::upsert_size) {
            const auto end = std::min<std::size_t>(at + workload::upsert_size, batch.size());
            text.clear();  // as lines of one file: one reader for all of them
            for (std::size_t i = at; i < end; ++i) text.append(batch[i].payload).append("\n");
            auto reader = bulk::json::reader<workload::article>::open(
                bulk::byte_source{std::string_view{text}}, bulk::json::layout::lines);
            begin.run();
            for (std::size_t i = at; i < end; ++i) {
                if (reader.next(raw) != bulk::read_status::row) std::abort();
                payload.clear();
                bulk::json::write_row(payload, workload::listing_of(raw), {.reveal_pii = true});
                const auto hash = static_cast<std::int64_t>(bulk::content_hash(payload));
                upsert.bind(1, batch[i].key).bind(2, hash).bind(3, payload).run();
                mark.bind(1, batch[i].key).run();
                ++done;
            }
            commit.run();
        }
        last = batch.back().key;
    }
}

inline void run(const std::string& path) {
    database all{path};
    fetch_all(all);
    if (consolidate_all(all) != workload::record_count) std::abort();
}

}  // namespace hand_written
