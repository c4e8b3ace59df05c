// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/memory/crash_table.hpp>
#include <bulk/storage/memory/event_table.hpp>
#include <bulk/storage/memory/feed_tables.hpp>
#include <bulk/storage/memory/file_table.hpp>
#include <bulk/storage/memory/operation_table.hpp>
#include <bulk/storage/memory/table_lock.hpp>
#include <bulk/storage/memory/worker_table.hpp>
#include <bulk/storage/operation_tables.hpp>

namespace bulk::memory {

/// All that a storage holds, and the lock in front of it. Reading functions are const: several threads
/// call them at once.
struct all_tables : operation_table, crash_table, event_table, worker_table {
    table_lock lock{};
    feed_tables feeds{*this};  ///< whose events are among those of operations: one order over both
    file_table files{};

    void remove_operation(const operation_key& key) {
        erase_operation(key);
        forget_crashes(key);
        remove_events(key.id);
    }
};
static_assert(operation_tables<all_tables>);

}  // namespace bulk::memory
