// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/storage/memory/retry_log.hpp>
#include <bulk/storage/memory/row_search.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/memory/wait_table.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Everything about the rows of one operation: their records, what they wait for, and how they had
/// failed. Not for several threads at once: the storage holds the lock.
class operation_rows {
public:
    explicit operation_rows(operation_id operation) : rows_{operation}, history_{operation} {}

    void add(const row_batch& batch) {
        rows_.add(batch.completed);
        for (const auto& record : batch.records) put(record);
        for (const auto& [row, id] : batch.row_ids) rows_.put_id(row, id);
    }

    void move_steps(const step_moves& to) {
        rows_.move_steps(to);
        waits_.move_steps(to);
        history_.move_steps(to);
    }

    [[nodiscard]] std::optional<row_record> get(row_number row, step_index step) const {
        return rows_.get({row, step});
    }
    void progress(row_number first, std::span<std::optional<row_progress>> into) const {
        rows_.progress(first, into);
    }
    [[nodiscard]] result<page<row_record>> query(const row_query& query) const {
        return row_search{rows_, query, candidates(query)}.records();
    }
    [[nodiscard]] result<page<row_number>> row_numbers(const row_query& query) const {
        return row_search{rows_, query, candidates(query)}.row_numbers();
    }

    [[nodiscard]] result<signal_receipt> send(const signal& sent, timestamp until) {
        return waits_.send(rows_, sent, until);
    }
    [[nodiscard]] std::vector<given_signal> signals(std::uint64_t after,
                                                    std::uint32_t limit) const {
        return waits_.given(after, limit);
    }
    [[nodiscard]] std::optional<given_signal> close_wait(row_number row, step_index step) {
        return waits_.close(rows_, {row, step});
    }

    /// Resets what failed at a step that is none of `steps`.
    [[nodiscard]] retry_submission retry(const retry_filter& filter,
                                         const std::vector<step_index>& steps) {
        retry_submission made;
        const auto wants = [&](record_place place, const kept_record& record) {
            const auto failure = record.failure();
            if (filter.failure && failure != filter.failure) return false;
            const bool is_excluded = std::ranges::find(steps, place.step()) != steps.end();
            if (is_excluded && made.refused.size() < 100)
                made.refused.emplace_back(place.row(), place.step());
            const bool is_skipped = is_excluded || (failure && !is_retryable(*failure));
            ++(is_skipped ? made.skipped : made.submitted);
            return !is_skipped;
        };
        // No wait changes: what has failed waits for no signal, nor does what is to be tried again.
        const auto places = failed_places(filter);
        history_.expect(places.size());
        rows_.reset_for_retry(places, wants, [&](record_place place, kept_record failed) {
            history_.add(place, std::move(failed));
        });
        return made;
    }

    /// A step that kept no data of the row has failed with what its validation kept, which nothing
    /// changes: it is stored once, and not again with every retry.
    [[nodiscard]] result<page<retry_entry>> history(const retry_history_query& query) {
        auto found = history_.query(query);
        if (!found) return found;
        for (auto& each : found->items)
            if (each.row_data.empty())
                if (const auto* validated = rows_.find({each.row, validation_step}))
                    each.row_data = validated->row_data();
        return found;
    }

private:
    /// So many places are looked at and sorted; if more rows wait for one key, it is likely that
    /// the next row that waits does for this key.
    static constexpr std::size_t most_candidates = 10'000;

    void put(const row_record& record) {
        waits_.change(rows_.find({record.row, record.step}), record);
        rows_.put(record);
    }

    [[nodiscard]] std::optional<std::vector<record_place>> candidates(
        const row_query& query) const {
        if (query.signal_key.empty()) return std::nullopt;
        return waits_.places_of(query.signal_key, most_candidates);
    }

    /// Where a step has failed or timed out, by row, then step.
    [[nodiscard]] std::vector<record_place> failed_places(const retry_filter& filter) const {
        record_kinds failed;
        failed.apart[std::to_underlying(row_state::failed)] = true;
        failed.apart[std::to_underlying(row_state::timed_out)] = true;
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
    retry_log history_;
};

}  // namespace bulk::memory
