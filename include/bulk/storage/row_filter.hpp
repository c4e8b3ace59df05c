// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>

#include <algorithm>
#include <string_view>

namespace bulk {

// Which records a query for rows selects. A backend with indexes applies the parts of these rules that its
// indexes answer; `matches` is all of them on one record.

/// Whether only rows that wait for a signal match.
[[nodiscard]] inline bool is_for_waits(const row_query& query) {
    return query.awaits_signal || !query.signal_key.empty();
}

/// Whether a record in this state can match.
[[nodiscard]] inline bool allows_state(const row_query& query, row_state state) {
    return (!query.state || *query.state == state) && (!query.errors_only || is_failed(state)) &&
           (!is_for_waits(query) || state == row_state::waiting_for_completion);
}

/// Whether a row that completed at the first try can match.
[[nodiscard]] inline bool allows_first_try(const row_query& query) {
    return allows_state(query, row_state::completed) && !query.failure &&
           query.min_retry_attempt == 0;
}

/// Whether a row id can match.
[[nodiscard]] inline bool allows_row_id(const row_query& query, std::string_view id) {
    return query.row_id_contains.empty() ||
           !std::ranges::search(id, query.row_id_contains, [](char a, char b) {
                return lower_case(a) == lower_case(b);
            }).empty();
}

/// Whether a record of the operation matches. Its `row_id` is the id of its row.
[[nodiscard]] inline bool matches(const row_query& query, const row_record& record) {
    const auto& rows = query.rows;
    return (rows.empty() || std::ranges::find(rows, record.row) != rows.end()) &&
           (!query.from_row || record.row >= *query.from_row) &&
           (!query.to_row || record.row <= *query.to_row) &&
           (!query.step || record.step == *query.step) && allows_state(query, record.state) &&
           (!is_for_waits(query) || !record.signal_key.empty()) &&
           (query.signal_key.empty() || record.signal_key == query.signal_key) &&
           (!query.failure || record.failure == query.failure) &&
           record.retry_attempt >= query.min_retry_attempt && allows_row_id(query, record.row_id);
}

}  // namespace bulk
