// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/event_table.hpp>
#include <bulk/storage/sqlite/operation_table.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <algorithm>
#include <cstdint>

namespace bulk::sqlite {

namespace detail {

inline step_index last_step_of(const row_batch& batch) {
    auto last = validation_step;
    for (const auto& each : batch.completed) last = std::max(last, each.last_step);
    for (const auto& each : batch.records) last = std::max(last, each.step);
    return last;
}

inline bool has_row_zero(const row_batch& batch) {
    const auto is_zero = [](row_number row) { return row == row_number{0}; };
    return std::ranges::any_of(batch.completed, is_zero, &rows_completed::first_row) ||
           std::ranges::any_of(batch.records, is_zero, &row_record::row);
}

}  // namespace detail

/// Writes what became of some rows, under a lease. A batch of rows that all went well reads and
/// writes two places: the operation's counters, and the page that the rows are in.
[[nodiscard]] inline result<> record_batch(session& database, const lease& held,
                                           const row_batch& batch) {
    if (detail::has_row_zero(batch))
        return fail(errc::invalid_argument, "rows are counted from 1: there is no row 0");
    std::int64_t number = 0;
    step_index last_step{};
    bool is_intact = true;
    {
        static const auto sql =
            concat("SELECT number, last_step, progress_seal IS ", seals::progress,
                   " FROM bulk_operations WHERE id = ?1 AND fence = ?2 AND "
                   "lease_until IS NOT NULL");
        auto row = database.rows(sql, held.operation, held.fence);
        if (!row.next())
            if (auto owned = operation_table{database}.find_owned(held); !owned)
                return std::unexpected{owned.error()};
        if (!database.failure()) row.read(number, last_step, is_intact);
    }
    if (!is_intact) return std::unexpected{damaged_operation(held.operation)};
    const auto last = std::max(last_step, detail::last_step_of(batch));
    const auto& counted = batch.counted;
    if (counted != row_counters{} || last != last_step)
        database.execute(
            "UPDATE bulk_operations SET version = version + ?2, total = total + ?3, processed = "
            "processed + ?4, successful = successful + ?5, failed = failed + ?6, last_step = ?7, "
            "progress_seal = bulk_seal(number, version + ?2, total + ?3, processed + ?4, "
            "successful + ?5, failed + ?6, ?7, fence, lease_until, owner, holder) WHERE number = "
            "?1",
            number, counted != row_counters{}, counted.total, counted.processed, counted.successful,
            counted.failed, last);
    row_table rows{database, held.operation, number};
    rows.add(batch.completed);
    for (const auto& each : batch.records) rows.put(each);
    for (const auto& [row, id] : batch.row_ids) rows.put_id(row, id);
    event_table{database}.append(batch.events);
    return {};
}

}  // namespace bulk::sqlite
