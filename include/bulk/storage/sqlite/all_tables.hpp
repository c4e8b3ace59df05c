// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/flight_seat.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/crash_table.hpp>
#include <bulk/storage/sqlite/event_table.hpp>
#include <bulk/storage/sqlite/operation_rows.hpp>
#include <bulk/storage/sqlite/operation_table.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/worker_table.hpp>

#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// All that is kept for operations, within a transaction.
class all_tables : public operation_table,
                   public crash_table,
                   public event_table,
                   public worker_table {
public:
    /// For a claim: `holder` is the name of this process, `dead` are those that died.
    explicit all_tables(session& database, std::string_view holder = {}, burial* dead = nullptr)
        : operation_table{database, holder},
          crash_table{database},
          event_table{database},
          worker_table{database},
          database_{database},
          dead_{dead} {}

    [[nodiscard]] operation_rows rows_of(const operation_key& key) const {
        return {database_, key};
    }

    [[nodiscard]] std::vector<row_in_flight> release_dead() const {
        return dead_ != nullptr ? dead_->hold(database_) : std::vector<row_in_flight>{};
    }
    /// Those of a dead process are found by `release_dead`.
    [[nodiscard]] static std::vector<row_in_flight> rows_in_flight(operation_id) { return {}; }

private:
    session& database_;
    burial* dead_;
};

static_assert(operation_tables<all_tables>);

}  // namespace bulk::sqlite
