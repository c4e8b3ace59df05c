// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/row_tables.hpp>
#include <bulk/storage/sqlite/retry_table.hpp>
#include <bulk/storage/sqlite/row_search.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/step_mover.hpp>
#include <bulk/storage/sqlite/wait_table.hpp>
#include <bulk/storage/step_moves.hpp>

#include <optional>

namespace bulk::sqlite {

/// Everything about the rows of one operation, within a transaction.
class operation_rows : public row_table, public wait_table, public retry_table {
public:
    operation_rows(session& database, const operation_key& key)
        : row_table{database, key.id, key.number},
          wait_table{database, key.id, key.number},
          retry_table{database, key.id, key.number},
          last_step_{key.last_step} {}

    [[nodiscard]] bulk::page<row_record> query(const row_query& query,
                                               const std::optional<row_order>& after) {
        return row_search{*this, query, last_step_}.records(after);
    }
    [[nodiscard]] bulk::page<row_number> row_numbers(const row_query& query,
                                                     std::optional<row_number> after) {
        return row_search{*this, query, last_step_}.row_numbers(after);
    }
    void move_steps(const step_moves& to) { step_mover{*this, to}.move_all(); }

private:
    step_index last_step_;
};
static_assert(row_tables<operation_rows>);

}  // namespace bulk::sqlite
