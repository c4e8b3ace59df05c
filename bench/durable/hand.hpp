// SPDX-License-Identifier: MIT
#pragma once

#include "../engine/workload.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// What a user writes by hand: parse a row, check it, call three steps, and note in a table what became
// of it, a thousand rows a transaction.

namespace hand_written {

class database {
public:
    explicit database(const std::string& path) {
        if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) std::abort();
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = NORMAL");
    }
    database(const database&) = delete;
    ~database() {
        for (sqlite3_stmt* each : {first_, second_}) sqlite3_finalize(each);
        sqlite3_close(handle_);
    }

    void run(const char* sql) {
        if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
    }
    void prepare_first(const char* sql) { prepare(sql, first_); }
    void prepare_second(const char* sql) { prepare(sql, second_); }

    void first(std::int64_t row, std::int64_t step, std::int64_t value) {
        step_once(first_, row, step, value);
    }
    void second(std::int64_t row, std::int64_t step, std::int64_t value) {
        step_once(second_, row, step, value);
    }

private:
    void prepare(const char* sql, sqlite3_stmt*& into) {
        if (sqlite3_prepare_v2(handle_, sql, -1, &into, nullptr) != SQLITE_OK) std::abort();
    }
    static void step_once(sqlite3_stmt* statement, std::int64_t row, std::int64_t step,
                          std::int64_t value) {
        sqlite3_bind_int64(statement, 1, row);
        sqlite3_bind_int64(statement, 2, step);
        sqlite3_bind_int64(statement, 3, value);
        if (sqlite3_step(statement) != SQLITE_DONE) std::abort();
        sqlite3_reset(statement);
    }

    sqlite3* handle_ = nullptr;
    sqlite3_stmt* first_ = nullptr;
    sqlite3_stmt* second_ = nullptr;
};

constexpr std::int64_t rows_per_transaction = 1000;

template <typename Note>
void each_row(database& records, const std::string& text, Note note) {
    std::int64_t row = 0;
    records.run("BEGIN IMMEDIATE");
    hand::read_rows(text, std::type_identity<narrow>{}, [&](const narrow& each) {
        if (!workload::is_valid(each)) std::abort();
        note(++row, each);
        if (row % rows_per_transaction == 0) {
            records.run("COMMIT");
            records.run("BEGIN IMMEDIATE");
        }
    });
    records.run("COMMIT");
}

/// One final status a row.
inline void final_status(const std::string& path, const std::string& text) {
    database records{path};
    records.run(
        "CREATE TABLE rows (row INTEGER, step INTEGER, state INTEGER, PRIMARY KEY (row)) "
        "WITHOUT ROWID");
    records.prepare_first("INSERT INTO rows VALUES (?1, ?2, ?3)");
    each_row(records, text, [&](std::int64_t row, const narrow& each) {
        workload::first_step(each);
        workload::second_step(each);
        workload::third_step(each);
        records.first(row, 3, 3);
    });
}

/// One record a step, written when it begins and when it is over; one of the validation.
inline void every_step(const std::string& path, const std::string& text) {
    database records{path};
    records.run(
        "CREATE TABLE steps (row INTEGER, step INTEGER, state INTEGER, PRIMARY KEY (row, "
        "step)) WITHOUT ROWID");
    records.prepare_first("INSERT INTO steps VALUES (?1, ?2, ?3)");
    records.prepare_second("UPDATE steps SET state = ?3 WHERE row = ?1 AND step = ?2");
    each_row(records, text, [&](std::int64_t row, const narrow& each) {
        records.first(row, -1, 3);
        const auto run = [&](int step, auto call) {
            records.first(row, step, 1);
            call(each);
            records.second(row, step, 3);
        };
        run(0, workload::first_step);
        run(1, workload::second_step);
        run(2, workload::third_step);
    });
}

}  // namespace hand_written
