// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/memory/early_signals.hpp>
#include <bulk/storage/memory/given_signals.hpp>
#include <bulk/storage/memory/retry_table.hpp>
#include <bulk/storage/memory/row_search.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/memory/wait_table.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/retry_selection.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/row_tables.hpp>
#include <bulk/storage/step_moves.hpp>
#include <bulk/storage/waits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Everything about the rows of one operation: their records, what they wait for, and how they had
/// failed. Not for several threads at once: the storage holds the lock.
class operation_rows {
public:
    explicit operation_rows(operation_id operation) : rows_{operation}, history_{operation} {}

    void add(std::span<const rows_completed> completed) { rows_.add(completed); }
    void put_record(const row_record& record, wait_end end) {
        rows_.put(record, end, [&](const kept_record& before) {
            waits_.remove(before, {record.row, record.step});
        });
        waits_.add(record, end);
    }
    void put_id(row_number row, std::string_view id) { rows_.put_id(row, id); }

    void move_steps(const step_moves& to) {
        rows_.move_steps(to);
        waits_.move_steps(to);
        given_.move_steps(to);
        history_.move_steps(to);
    }

    [[nodiscard]] std::optional<row_record> get(row_number row, step_index step) const {
        return rows_.get({row, step});
    }
    void progress(row_number first, std::span<std::optional<row_progress>> into) const {
        rows_.progress(first, into);
    }
    [[nodiscard]] page<row_record> query(const row_query& query,
                                         const std::optional<row_order>& after) const {
        return row_search{rows_, query, candidates(query)}.records(after);
    }
    [[nodiscard]] page<row_number> row_numbers(const row_query& query,
                                               std::optional<row_number> after) const {
        return row_search{rows_, query, candidates(query)}.row_numbers(after);
    }

    /// What waits; null if it does not.
    [[nodiscard]] const kept_record* find_wait(row_number row, step_index step) const {
        const kept_record* record = rows_.find({row, step});
        return record != nullptr && record->is_waiting() ? record : nullptr;
    }
    template <typename Visit>
    void visit_row(row_number row, std::string_view key, Visit visit) const {
        for (const auto& each : rows_.apart_of(row))
            if (each.signal_key() == key &&
                (each.is_waiting() || each.state() == row_state::completed) &&
                !visit(row_wait{.step = record_shelves::step_of(each),
                                .state = each.state(),
                                .end = each.end(),
                                .until = each.wait_until()}))
                return;
    }
    template <typename Visit>
    void visit_waits(std::string_view key, Visit visit) const {
        waits_.visit(rows_, key, visit);
    }
    void set_wait_end(record_place at, wait_end end) {
        rows_.change(at, [&](kept_record& record) { waits_.set_end(record, at, end); });
    }

    void give(record_place to, std::string_view key, const std::optional<std::string>& failure) {
        given_.give(to, key, failure);
    }
    [[nodiscard]] std::optional<given_signal> given_to(row_number row, step_index step) const {
        const given_signal* found = given_.find({row, step});
        return found != nullptr ? std::optional{*found} : std::nullopt;
    }
    [[nodiscard]] std::vector<given_signal> given(std::uint64_t after, std::uint32_t limit) const {
        return given_.behind(after, limit);
    }
    void remove_given(row_number row, step_index step) { given_.use_up({row, step}); }

    void keep_early(const signal& sent, timestamp until) { early_.keep(sent, until); }
    [[nodiscard]] std::optional<early_signal> find_early(row_number row, step_index /*step*/,
                                                         std::string_view key,
                                                         bool is_for_any_row) const {
        return early_.find(key, row, is_for_any_row);
    }
    void remove_early(std::uint64_t number) { early_.remove(number); }
    void end_early(timestamp now) { early_.end(now); }

    [[nodiscard]] retry_submission reset_failed(const retry_selection& selection) {
        retry_submission made;
        // No wait changes: what has failed waits for no signal, nor does what is to be tried again.
        const auto places = failed_places(selection.filter());
        history_.expect(places.size());
        rows_.reset_for_retry(
            places,
            [&](record_place at, const kept_record& record) {
                return selection.matches(at.step(), record.failure()) &&
                       selection.count(at.row(), at.step(), record.failure(), made);
            },
            [&](record_place at, kept_record failed) { history_.add(at, std::move(failed)); });
        return made;
    }

    /// A step that kept no data of the row has failed with what its validation kept, which nothing
    /// changes: it is stored once, and not again with every retry.
    [[nodiscard]] page<retry_entry> history(const retry_history_query& query,
                                            const std::optional<retry_order>& after) const {
        auto found = history_.query(query, after);
        for (auto& each : found.items)
            if (each.row_data.empty())
                if (const auto* validated = rows_.find({each.row, validation_step}))
                    each.row_data = validated->row_data();
        return found;
    }

private:
    /// So many places are looked at and sorted; if more rows wait for one key, it is likely that
    /// the next row that waits does for this key.
    static constexpr std::size_t most_candidates = 10'000;

    [[nodiscard]] std::optional<std::vector<record_place>> candidates(
        const row_query& query) const {
        if (query.signal_key.empty()) return std::nullopt;
        return waits_.places_of(query.signal_key, most_candidates);
    }

    /// Where a step has failed or timed out, by row, then step.
    [[nodiscard]] std::vector<record_place> failed_places(const retry_filter& filter) const {
        record_kinds failed;
        for (const auto& [state, name] : enumerators_of<row_state>)
            failed.apart[std::to_underlying(state)] = is_resettable(state);
        std::vector<record_place> found;
        const auto& steps = rows_.steps();
        for (auto slot = slot_of(step_index{0}); slot < steps.size(); ++slot) {
            if (filter.step && slot_of(*filter.step) != slot) continue;
            for (auto row = steps[slot].next(row_number{0}, failed); row;
                 row = steps[slot].next(row_number{to_number(*row) + 1}, failed))
                found.emplace_back(*row, step_of(slot));
        }
        if (filter.rows) {
            std::vector<row_number> rows = *filter.rows;
            std::ranges::sort(rows);
            std::erase_if(found, [&](record_place at) {
                return !std::ranges::binary_search(rows, at.row());
            });
        }
        if (!std::ranges::is_sorted(found)) std::ranges::sort(found);  // of several steps
        return found;
    }

    row_table rows_;
    wait_table waits_;
    given_signals given_;
    early_signals early_;
    retry_table history_;
};

}  // namespace bulk::memory
