// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
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
inline void move_steps(session& database, operation_id id, std::int64_t operation,
                       const step_moves& to) {
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
    row_table rows{database, id, operation};
    for (const auto page : pages) rows.put(page, rows.page(page).moved_to(to));
}

}  // namespace bulk::sqlite
