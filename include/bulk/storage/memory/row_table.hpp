// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/memory/record_shelves.hpp>
#include <bulk/storage/memory/row_ids.hpp>
#include <bulk/storage/memory/row_place.hpp>
#include <bulk/storage/memory/step_rows.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/step_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::memory {

/// The row records of one operation: packed pages for what went well at once, a record apart for
/// everything else. Not for several threads at once: the storage holds the lock.
class row_table {
public:
    explicit row_table(operation_id operation) : operation_{operation} {}

    void add(const rows_completed& completed) {
        grow_to(completed.last_step);
        for (auto slot = slot_of(completed.first_step); slot <= slot_of(completed.last_step);
             ++slot)
            steps_[slot].add(completed.first_row, completed.rows, completed.started_at,
                             completed.completed_at - completed.started_at);
    }

    void put(const row_record& record) {
        grow_to(record.step);
        const kept_record* before = find({record.row, record.step});
        steps_[slot_of(record.step)].put(
            record.row, before != nullptr ? std::optional{before->state()} : std::nullopt,
            record.state);
        apart_.put(record);
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

    void put_id(row_number row, std::string_view id) { ids_.put(row, id); }

    [[nodiscard]] std::optional<row_record> get(row_place at) const {
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
        for (std::size_t slot = 0; slot < steps_.size(); ++slot)
            steps_[slot].visit_runs(first, end, [&](std::uint64_t from, std::uint64_t to) {
                for (auto row = from; row < to; ++row)
                    into[row - to_number(first)] = {step_of(slot), row_state::completed, 1, 0};
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
    [[nodiscard]] row_record at(row_place place) const { return get(place).value_or(row_record{}); }

    /// Records apart; valid until something is put.
    [[nodiscard]] const kept_record* find(row_place at) const { return apart_.find(at); }
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
