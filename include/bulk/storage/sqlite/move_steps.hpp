// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/sqlite/operation_table.hpp>
#include <bulk/storage/sqlite/row_scope.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/step_moves.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// Everything about an operation's rows goes with its steps to where they stand now. Steps change
/// places with each other, so each table is changed twice: to numbers that are no steps, and back.
[[nodiscard]] inline result<> move_steps(session& database, const lease& held,
                                         const step_moves& to) {
    operation_table operations{database};
    const auto owned = operations.find_owned(held);
    if (!owned) return std::unexpected{owned.error()};
    const auto operation = owned->number;
    const auto targets = json_of(to);
    for (const std::string_view table : std::array<std::string_view, 4>{
             "bulk_records", "bulk_given_signals", "bulk_retry_history", "bulk_crashes"}) {
        database.execute(concat("UPDATE ", table,
                                " SET step = -40000 - (SELECT value FROM json_each(?2) WHERE "
                                "key = ",
                                table, ".step) WHERE operation = ?1 AND step >= 0 AND step < ?3"),
                         operation, targets, to.size());
        database.execute(concat("UPDATE ", table,
                                " SET step = -40000 - step WHERE operation = ?1 AND step <= "
                                "-40000"),
                         operation);
    }
    std::vector<std::uint64_t> pages;
    {
        auto row = database.rows("SELECT page FROM bulk_pages WHERE operation = ?1", operation);
        while (row.next()) row.read(pages.emplace_back());
    }
    row_table rows{database, held.operation, operation};
    for (const auto page : pages) rows.put(page, rows.page(page).moved_to(to));
    operations.set_last_step(operation, moved(owned->last_step, to));
    return {};
}

}  // namespace bulk::sqlite
