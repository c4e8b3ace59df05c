// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace bulk::sqlite {

/// What runs of feeds need, since version 2.
///
/// `number` of a feed or a run stands for it in the other tables and is never given again, as items
/// remember the run that has seen them last; `feed_number` is the place of a run among those of its
/// feed, of which there were `runs` so far. Keys are bytes, never text: they sort as their bytes do,
/// whatever those are. `holder` is the process that has a lease.
///
/// Pending items and bad ones are kept apart, so that any number of bad ones costs those nothing who
/// look for pending ones; a bad one without a key has a made-up one, which may be that of another.
/// What is short comes first, as long payloads are passed by when not asked for.
inline constexpr std::string_view feed_schema = R"(
CREATE TABLE bulk_feeds (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    runs INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0,
    watermark INTEGER,
    moved_at INTEGER,
    moved_by BLOB,
    folded_name TEXT NOT NULL UNIQUE
);

CREATE TABLE bulk_feed_runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    feed INTEGER NOT NULL,
    feed_number INTEGER NOT NULL,
    is_active INTEGER NOT NULL,
    active_at INTEGER,
    completed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    records INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    batches INTEGER NOT NULL,
    open_batches INTEGER NOT NULL,
    consolidated INTEGER NOT NULL,
    bad_items INTEGER NOT NULL,
    keyless INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    consolidate_at INTEGER,
    is_forced INTEGER NOT NULL,
    consolidation_started_at INTEGER,
    is_handed_out INTEGER NOT NULL,
    completed_at INTEGER,
    failed_at INTEGER,
    cancelled_at INTEGER,
    watermark_before INTEGER,
    watermark_after INTEGER,
    type INTEGER NOT NULL,
    window_from INTEGER NOT NULL,
    window_to INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    partitions INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    is_capped INTEGER NOT NULL,
    min_success_ratio REAL NOT NULL,
    partial_delay INTEGER NOT NULL,
    max_deliveries INTEGER NOT NULL,
    tolerate_bad_items INTEGER NOT NULL,
    feed_name TEXT NOT NULL,
    trace TEXT NOT NULL,
    started_by TEXT NOT NULL,
    cursor BLOB NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX bulk_feed_runs_of ON bulk_feed_runs (feed, number);
CREATE INDEX bulk_feed_runs_active ON bulk_feed_runs (number) WHERE is_active = 1;

CREATE TABLE bulk_feed_partitions (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state INTEGER NOT NULL,
    due INTEGER NOT NULL,
    leased_until INTEGER,
    fence INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    counted INTEGER,
    pages INTEGER NOT NULL,
    records INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    started_at INTEGER,
    updated_at INTEGER,
    completed_at INTEGER,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    most_records INTEGER,
    holder TEXT NOT NULL,
    worker TEXT NOT NULL,
    token BLOB NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE INDEX bulk_feed_partitions_open ON bulk_feed_partitions (run, due, number)
    WHERE state < 2;

CREATE TABLE bulk_feed_batches (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    leased_until INTEGER NOT NULL,
    holder TEXT NOT NULL,
    worker TEXT NOT NULL,
    first BLOB NOT NULL,
    last BLOB NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;

CREATE TABLE bulk_feed_raw (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    hash INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (run, key)
) WITHOUT ROWID;

CREATE TABLE bulk_feed_bad (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    is_keyless INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    reason TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (run, key, is_keyless)
) WITHOUT ROWID;

CREATE TABLE bulk_feed_items (
    feed INTEGER NOT NULL,
    key BLOB NOT NULL,
    hash INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    version INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (feed, key)
) WITHOUT ROWID;
)";

}  // namespace bulk::sqlite
