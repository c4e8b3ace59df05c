// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/memory/record_shelves.hpp>
#include <bulk/storage/memory/row_ids.hpp>
#include <bulk/storage/memory/step_rows.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::memory {

/// The row records of one operation: packed pages for what went well at once, a record apart for
/// everything else. Not for several threads at once: the storage holds the lock.
class row_table {
public:
    explicit row_table(operation_id operation) : operation_{operation} {}

    void add(std::span<const rows_completed> completed) {
        while (!completed.empty()) {
            const auto goes_on = [](const rows_completed& a, const rows_completed& b) {
                return a.first_step == b.first_step && a.last_step == b.last_step &&
                       to_number(a.first_row) + a.rows <= to_number(b.first_row);
            };
            const auto end = std::ranges::adjacent_find(completed, std::not_fn(goes_on));
            const auto alike = completed.first(static_cast<std::size_t>(
                end == completed.end() ? end - completed.begin() : end - completed.begin() + 1));
            grow_to(alike.front().last_step);
            for (auto slot = slot_of(alike.front().first_step);
                 slot <= slot_of(alike.front().last_step); ++slot)
                steps_[slot].add(alike);
            completed = completed.subspan(alike.size());
        }
    }

    /// `replaced` is told of the record apart that was in its place.
    template <typename Replaced>
    void put(const row_record& record, wait_end end, Replaced replaced) {
        grow_to(record.step);
        const auto before = apart_.put(record, end, replaced);
        steps_[slot_of(record.step)].put(record.row, before, record.state);
        if (!record.row_id.empty()) ids_.put(record.row, record.row_id);
    }

    void move_steps(const step_moves& to) {
        auto before = std::exchange(steps_, {});
        for (std::size_t slot = 0; slot < before.size(); ++slot) {
            const auto step = moved(step_of(slot), to);
            grow_to(step);
            if (!before[slot].empty()) steps_[slot_of(step)] = std::move(before[slot]);
        }
        apart_.move_steps(to);
    }

    /// Lets those of the records apart wait for another try for which `wants(place, record)`, and
    /// gives what each was before to `keep(place, kept_record)`.
    template <typename Wants, typename Keep>
    void reset_for_retry(const std::vector<record_place>& places, Wants wants, Keep keep) {
        for (const auto at : places) {
            kept_record* const record = apart_.find(at);
            if (record == nullptr || !wants(at, std::as_const(*record))) continue;
            steps_[at.slot()].put(at.row(), record->state(), row_state::pending);
            keep(at, record->reset_for_retry());
        }
    }

    void put_id(row_number row, std::string_view id) { ids_.put(row, id); }

    [[nodiscard]] std::optional<row_record> get(record_place at) const {
        const auto row = at.row();
        if (const kept_record* apart = find(at))
            return apart->to_record(operation_, row, at.step(), ids_.of(row));
        if (at.slot() >= steps_.size()) return std::nullopt;
        const completed_run* run = steps_[at.slot()].packed(row);
        if (run == nullptr) return std::nullopt;
        return row_record{.operation = operation_,
                          .row = row,
                          .step = at.step(),
                          .state = row_state::completed,
                          .attempt = 1,
                          .row_id = std::string{ids_.of(row)},
                          .started_at = run->started_at,
                          .completed_at = run->completed_at()};
    }

    /// How far the rows from `first` on are: what the pages say, step by step, and over it what the
    /// records apart say.
    void progress(row_number first, std::span<std::optional<row_progress>> into) const {
        if (into.empty()) return;
        const row_number end{to_number(first) + into.size()};
        // From the last step on, so that each row is looked for only until it is found.
        std::vector<row_stretch> missing{{to_number(first), to_number(end)}}, scratch;
        for (auto slot = steps_.size(); slot > 0; --slot)
            steps_[slot - 1].take(missing, scratch, [&](const row_stretch& found) {
                std::ranges::fill(
                    into.subspan(found.first - to_number(first), found.end - found.first),
                    std::optional{row_progress{step_of(slot - 1), row_state::completed, 1, 0}});
            });
        apart_.visit(first, end, [&](row_number row, step_index step, const kept_record& record) {
            auto& found = into[to_number(row) - to_number(first)];
            if (!found || step >= found->step)
                found = {step, record.state(), record.attempt(), record.retry_attempt()};
        });
    }

    /// By step, validation first.
    [[nodiscard]] const std::vector<step_rows>& steps() const { return steps_; }
    [[nodiscard]] std::string_view row_id(row_number row) const { return ids_.of(row); }

    /// What `get` finds, of a place that has a record.
    [[nodiscard]] row_record at(record_place place) const {
        return get(place).value_or(row_record{});
    }

    template <typename Change>
    void change(record_place at, Change change) {
        change(*apart_.find(at));
    }

    /// Records apart; valid until something is put.
    [[nodiscard]] const kept_record* find(record_place at) const { return apart_.find(at); }
    [[nodiscard]] std::span<const kept_record> apart_of(row_number row) const {
        return apart_.of_row(row);
    }

private:
    void grow_to(step_index step) {
        if (slot_of(step) >= steps_.size()) steps_.resize(slot_of(step) + 1);
    }

    operation_id operation_;
    std::vector<step_rows> steps_;
    record_shelves apart_;
    row_ids ids_;
};

}  // namespace bulk::memory
