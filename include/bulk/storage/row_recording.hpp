// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/operation_claims.hpp>
#include <bulk/storage/operation_life.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_waits.hpp>

#include <algorithm>

namespace bulk {

/// The last step with a record in a batch.
[[nodiscard]] inline step_index last_step_of(const row_batch& batch) {
    auto last = validation_step;
    for (const auto& each : batch.completed) last = std::max(last, each.last_step);
    for (const auto& each : batch.records) last = std::max(last, each.step);
    return last;
}

[[nodiscard]] inline bool has_row_zero(const row_batch& batch) {
    const auto is_zero = [](row_number row) { return row == row_number{0}; };
    return std::ranges::any_of(batch.completed, is_zero, &rows_completed::first_row) ||
           std::ranges::any_of(batch.records, is_zero, &row_record::row);
}

/// Writes the results of some rows under a lease, within one transaction. A batch of rows that all
/// completed at once reads and writes two places: the operation's counters, and the page of the rows.
template <typename Tables>
[[nodiscard]] result<> record_rows(Tables& in, const lease& held, const row_batch& batch) {
    if (has_row_zero(batch))
        return fail(errc::invalid_argument, "rows are counted from 1: there is no row 0");
    const auto stored = lease_in(in, held.operation);
    if (!stored || !is_owner(held, stored->fence, stored->until)) {
        const auto owned = operation_life{in}.find_owned(held);
        return owned ? not_owner(held.operation) : std::unexpected{owned.error()};
    }
    if (stored->damage) return std::unexpected{*stored->damage};
    in.add_counts(stored->key, batch.counted, last_step_of(batch));
    auto&& rows = in.rows_of(stored->key);
    rows.add(batch.completed);
    row_waits waits{rows};
    for (const auto& each : batch.records) waits.put(each);
    for (const auto& [row, id] : batch.row_ids) rows.put_id(row, id);
    in.append(batch.events);
    return {};
}

}  // namespace bulk
