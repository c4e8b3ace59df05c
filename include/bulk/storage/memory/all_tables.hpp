// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/memory/crash_log.hpp>
#include <bulk/storage/memory/event_log.hpp>
#include <bulk/storage/memory/feed_tables.hpp>
#include <bulk/storage/memory/file_table.hpp>
#include <bulk/storage/memory/operation_rows.hpp>
#include <bulk/storage/memory/operation_table.hpp>
#include <bulk/storage/memory/table_lock.hpp>
#include <bulk/storage/memory/worker_table.hpp>

#include <map>
#include <optional>
#include <type_traits>

namespace bulk::memory {

/// All that a storage holds, and the lock in front of it.
struct all_tables {
    table_lock lock{};
    operation_table operations{};
    std::map<operation_id, operation_rows> rows{};
    crash_log crashes{};
    event_log events{};  ///< of operations and of feeds: one order over both
    feed_tables feeds{events};
    worker_table workers{};
    file_table files{};

    [[nodiscard]] std::optional<claimed_operation> count_crashes(
        std::optional<claimed_operation> claimed) {
        if (!claimed || !claimed->was_lapsed) return claimed;
        const auto id = claimed->held.operation;
        crashes.count(id, [&](row_number row, step_index step) {
            const auto record = rows_of(id).get(row, step);
            return record && record->state == row_state::completed;
        });
        return claimed;
    }

    /// Of an operation that there is.
    [[nodiscard]] operation_rows& rows_of(operation_id id) {
        return rows.try_emplace(id, id).first->second;
    }

    /// What `look` finds in the rows of an operation, be there none yet.
    template <typename Look>
    [[nodiscard]] auto look_at_rows(operation_id id, Look look) const
        -> std::invoke_result_t<Look, const operation_rows&> {
        if (operations.find(id) == nullptr) return operation_not_found(id);
        const auto found = rows.find(id);
        return found == rows.end() ? look(operation_rows{id}) : look(found->second);
    }
};

}  // namespace bulk::memory
