// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/retry_selection.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/step_moves.hpp>
#include <bulk/storage/waits.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bulk {

/// Stands for any row that waits for the key of an early signal: rows are numbered from 1.
inline constexpr row_number any_row{0};

/// A signal that arrived before a row waited for it.
struct early_signal {
    std::uint64_t number = 0;
    std::optional<std::string> failure{};
};

/// What a record that waits for a signal says.
template <typename Wait>
concept found_wait = requires(const Wait& wait) {
    { wait->signal_key() } -> std::convertible_to<std::string_view>;
    { wait->journal() } -> std::convertible_to<std::string_view>;
    { wait->retry_attempt() } -> std::convertible_to<std::uint32_t>;
    { wait->end() } -> std::convertible_to<wait_end>;
    static_cast<bool>(wait);
};

/// What a backend has to keep for the rows of one operation, within one transaction: plain reading and
/// writing, as in operation_tables.hpp.
template <typename Rows>
concept row_tables = requires(
    std::remove_reference_t<Rows>& rows, std::span<const rows_completed> completed,
    const row_record& record, wait_end end, row_number row, step_index step, std::string_view text,
    std::span<std::optional<row_progress>> into, const row_query& query,
    const std::optional<row_order>& behind, std::optional<row_number> behind_row,
    const std::optional<retry_order>& behind_entry, const step_moves& moves,
    bool (*visit)(record_place, std::optional<timestamp>), bool (*visit_row)(const row_wait&),
    const signal& sent, timestamp now, std::uint64_t number, std::uint32_t limit,
    const retry_selection& selection, const retry_history_query& history,
    const std::optional<std::string>& failure, bool is_for_any_row) {
    // --- records, by row and step: packed pages of rows that completed at the first try, and single
    // records, which win over the pages. A row may have an id.
    rows.add(completed);
    rows.put_record(record, end);
    rows.put_id(row, text);
    { rows.get(row, step) } -> std::same_as<std::optional<row_record>>;
    rows.progress(row, into);
    /// In the order of a valid query, behind a position, at most `query.page_size`; the total if the query
    /// asks for it. The ledger reads and writes the cursors. Of that many items the last is only counted: see
    /// read_page.hpp.
    { rows.query(query, behind) } -> std::same_as<page<row_record>>;
    /// The rows of these records, each once, by number.
    { rows.row_numbers(query, behind_row) } -> std::same_as<page<row_number>>;
    /// Of records, signals and earlier failures.
    rows.move_steps(moves);

    // --- waits: single records that wait for a completion, with a signal key --------------------------
    { rows.find_wait(row, step) } -> found_wait;
    /// Records of a row with that signal key that wait or are completed, by step, until `visit_row` returns
    /// false.
    rows.visit_row(row, text, visit_row);
    /// Waits of that key whose end is none, by start, then row, then step, until `visit` returns false.
    rows.visit_waits(text, visit);
    rows.set_wait_end(record_place{row, step}, end);

    // --- signals, numbered in the order in which they were given --------------------------------------
    rows.give(record_place{row, step}, text, failure);
    { rows.given_to(row, step) } -> std::same_as<std::optional<given_signal>>;
    { rows.given(number /* behind */, limit) } -> std::same_as<std::vector<given_signal>>;
    rows.remove_given(row, step);
    /// Kept until that time, for one row or for any.
    rows.keep_early(sent, now);
    /// The oldest of a key for this row, or for any row.
    {
        rows.find_early(row, step, text, is_for_any_row)
    } -> std::same_as<std::optional<early_signal>>;
    rows.remove_early(number);
    /// Those kept until then or less long.
    rows.end_early(now);

    // --- retries --------------------------------------------------------------------------------------
    /// Keeps the failure of each record that the selection counts in, and resets the record as
    /// `reset_for_retry` does, without a wait. By row, then step.
    { rows.reset_failed(selection) } -> std::same_as<retry_submission>;
    /// By row, then step, then attempt, behind a position, at most `history.page_size`, the last of which is only counted.
    /// An entry without data of the row has what the row's validation kept.
    { rows.history(history, behind_entry) } -> std::same_as<page<retry_entry>>;
};

}  // namespace bulk
