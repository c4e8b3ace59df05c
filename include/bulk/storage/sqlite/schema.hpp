// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/sqlite/feed_schema.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace bulk::sqlite {

/// In the header of the file: it is ours.
inline constexpr std::uint32_t application_id = 0x62756c6b;  // "bulk"

/// The statements that bring a database from one version of the schema to the next.
using migration = std::string_view;

namespace detail {

// `number` stands for the operation in the other tables. The counters come first, as every batch of
// rows changes them, and are in no index; the long texts come last, as they are passed by when not
// asked for.
//
// `bulk_pages` is what rows completed at their first try (see window_page.hpp), `bulk_records`
// everything else about them, which wins. `spent` is why no signal finds a wait: 1 it was given
// one, 2 it is closed, 3 it is over for long.
inline constexpr migration version_1 = R"(
CREATE TABLE bulk_operations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    total INTEGER NOT NULL,
    processed INTEGER NOT NULL,
    successful INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    last_step INTEGER NOT NULL DEFAULT -1,
    state INTEGER NOT NULL,
    paused INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    validated INTEGER NOT NULL,
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER,
    retry_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    run_started_at INTEGER,
    completed_at INTEGER,
    file_size INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    created_by TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL,
    file_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    steps BLOB NOT NULL,
    holder TEXT NOT NULL DEFAULT '',
    error_message TEXT NOT NULL,
    recipients BLOB NOT NULL,
    metadata TEXT NOT NULL
);
CREATE UNIQUE INDEX bulk_operations_by_key ON bulk_operations (folded_name, idempotency_key)
    WHERE idempotency_key <> '';
CREATE INDEX bulk_operations_by_age ON bulk_operations (created_at, id);
CREATE INDEX bulk_operations_by_state ON bulk_operations (state, id);
CREATE INDEX bulk_operations_by_name ON bulk_operations (folded_name, id);
CREATE INDEX bulk_operations_open ON bulk_operations (created_at, id)
    WHERE state IN (0, 1, 2, 7);

CREATE TABLE bulk_pages (
    operation INTEGER NOT NULL,
    page INTEGER NOT NULL,
    windows BLOB NOT NULL,
    PRIMARY KEY (operation, page)
) WITHOUT ROWID;

CREATE TABLE bulk_records (
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    state INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    retry_attempt INTEGER NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0,
    failure INTEGER,
    started_at INTEGER,
    completed_at INTEGER,
    wait_until INTEGER,
    signal_key TEXT NOT NULL,
    error_message TEXT NOT NULL,
    journal BLOB NOT NULL,
    row_data TEXT NOT NULL,
    PRIMARY KEY (operation, row, step)
) WITHOUT ROWID;
CREATE INDEX bulk_records_by_state ON bulk_records (operation, state, row, step, failure);
CREATE INDEX bulk_records_by_failure ON bulk_records (operation, failure, row, step, state)
    WHERE failure IS NOT NULL;
CREATE INDEX bulk_records_waiting
    ON bulk_records (operation, signal_key, spent, started_at, row, step, wait_until, state)
    WHERE state = 2 AND signal_key <> '';

CREATE TABLE bulk_row_ids (
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (operation, row)
) WITHOUT ROWID;

CREATE TABLE bulk_given_signals (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    key TEXT NOT NULL,
    failure TEXT
);
CREATE UNIQUE INDEX bulk_given_signals_by_place ON bulk_given_signals (operation, row, step);
CREATE INDEX bulk_given_signals_in_order ON bulk_given_signals (operation, sequence);

CREATE TABLE bulk_early_signals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    key TEXT NOT NULL,
    failure TEXT
);
CREATE INDEX bulk_early_signals_by_key ON bulk_early_signals (operation, key, row, number);
CREATE INDEX bulk_early_signals_by_end ON bulk_early_signals (operation, kept_until);

CREATE TABLE bulk_retry_history (
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    retry_attempt INTEGER NOT NULL,
    failure INTEGER,
    failed_at INTEGER,
    error_message TEXT NOT NULL,
    PRIMARY KEY (operation, row, step, retry_attempt)
) WITHOUT ROWID;

CREATE TABLE bulk_crashes (
    operation INTEGER NOT NULL,
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (operation, row)
) WITHOUT ROWID;

CREATE TABLE bulk_events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    operation BLOB NOT NULL,
    kind INTEGER NOT NULL,
    level INTEGER NOT NULL,
    state INTEGER NOT NULL,
    previous INTEGER,
    row INTEGER,
    failure INTEGER,
    time INTEGER NOT NULL,
    operation_name TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX bulk_events_of ON bulk_events (operation, sequence);

CREATE TABLE bulk_event_positions (
    reader TEXT NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL
) WITHOUT ROWID;
)";

// Not seen for long is what is looked for at every report.
inline constexpr migration version_3 = R"(
CREATE TABLE bulk_workers (
    id BLOB NOT NULL PRIMARY KEY,
    kind INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    silent_after INTEGER NOT NULL,
    running_operations INTEGER NOT NULL,
    running_pages INTEGER NOT NULL,
    name TEXT NOT NULL,
    host TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX bulk_workers_by_sight ON bulk_workers (seen_at);
)";

// Row data in the retry history, and typed fields of events. Empty or NULL in rows of older files.
inline constexpr migration version_4 = R"(
ALTER TABLE bulk_retry_history ADD COLUMN row_data TEXT NOT NULL DEFAULT '';
ALTER TABLE bulk_events ADD COLUMN total INTEGER;
ALTER TABLE bulk_events ADD COLUMN processed INTEGER;
ALTER TABLE bulk_events ADD COLUMN successful INTEGER;
ALTER TABLE bulk_events ADD COLUMN failed INTEGER;
ALTER TABLE bulk_events ADD COLUMN duration INTEGER;
ALTER TABLE bulk_events ADD COLUMN created_by TEXT;
ALTER TABLE bulk_events ADD COLUMN file_name TEXT;
ALTER TABLE bulk_events ADD COLUMN metadata TEXT;
)";

// Checksums: what each covers is in seal.hpp. Rows of older files are sealed as they are.
inline constexpr migration version_5 = R"(
ALTER TABLE bulk_operations ADD COLUMN seal INTEGER;
ALTER TABLE bulk_operations ADD COLUMN progress_seal INTEGER;
ALTER TABLE bulk_pages ADD COLUMN seal INTEGER;
ALTER TABLE bulk_records ADD COLUMN seal INTEGER;
ALTER TABLE bulk_records ADD COLUMN texts_seal INTEGER;
ALTER TABLE bulk_row_ids ADD COLUMN seal INTEGER;
ALTER TABLE bulk_given_signals ADD COLUMN seal INTEGER;
ALTER TABLE bulk_early_signals ADD COLUMN seal INTEGER;
ALTER TABLE bulk_retry_history ADD COLUMN seal INTEGER;
ALTER TABLE bulk_crashes ADD COLUMN seal INTEGER;
ALTER TABLE bulk_events ADD COLUMN seal INTEGER;
ALTER TABLE bulk_event_positions ADD COLUMN seal INTEGER;
)";

}  // namespace detail

/// Number n brings version n to n + 1. What was released is never changed, only added to.
inline constexpr std::array migrations{
    detail::version_1, migration{feed_schema}, detail::version_3,
    detail::version_4, detail::version_5,
};

/// From this version on every row that has a seal is sealed.
inline constexpr std::int64_t first_sealed_version = 5;

}  // namespace bulk::sqlite
