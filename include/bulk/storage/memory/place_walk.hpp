// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/storage/memory/step_rows.hpp>
#include <bulk/storage/record_place.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bulk::memory {

/// Goes through the places that have a record of some kinds, by row, then step, or backwards; finds
/// each when it is asked for.
class place_walk {
public:
    /// Over the slots from `first_slot` on.
    place_walk(std::span<const step_rows> steps, std::size_t first_slot, const record_kinds& kinds,
               row_number first_row, row_number last_row, bool is_descending)
        : steps_{steps},
          first_slot_{first_slot},
          kinds_{kinds},
          first_row_{first_row},
          last_row_{last_row},
          is_descending_{is_descending},
          ahead_(steps.size()) {
        const row_number begin = is_descending ? last_row : first_row;
        for (std::size_t i = 0; i < steps.size(); ++i) ahead_[i] = find(i, begin);
    }

    /// The next, which is then behind.
    [[nodiscard]] std::optional<record_place> take() {
        std::optional<row_number> first;
        std::size_t best = 0;
        for (std::size_t i = 0; i < ahead_.size(); ++i) {
            const auto row = ahead_[i];
            if (!row || (first && !is_before(*row, *first, is_descending_))) continue;
            first = row;
            best = i;
        }
        if (!first) return std::nullopt;
        ahead_[best] = find_behind(best, *first);
        return record_place{*first, step_of(first_slot_ + best)};
    }

    /// Leaves out everything up to a place, itself included.
    void skip_to(record_place last) {
        for (std::size_t i = 0; i < ahead_.size(); ++i) {
            const record_place here{last.row(), step_of(first_slot_ + i)};
            const bool is_done = is_descending_ ? here >= last : here <= last;
            skip_to(i, last.row());
            if (is_done && ahead_[i] == last.row()) ahead_[i] = find_behind(i, last.row());
        }
    }

    /// Leaves out everything of the rows up to this one, itself included.
    void skip_row(row_number last) {
        for (std::size_t i = 0; i < ahead_.size(); ++i)
            if (const auto row = ahead_[i]; row && (is_descending_ ? *row >= last : *row <= last))
                ahead_[i] = find_behind(i, last);
    }

private:
    /// Of two slots at one row the first goes first; from behind the last.
    static bool is_before(row_number a, row_number b, bool is_descending) {
        return is_descending ? a >= b : a < b;
    }

    void skip_to(std::size_t i, row_number row) {
        const auto next = ahead_[i];
        if (next && (is_descending_ ? *next > row : *next < row)) ahead_[i] = find(i, row);
    }

    [[nodiscard]] std::optional<row_number> find(std::size_t i, row_number from) const {
        const auto found =
            is_descending_ ? steps_[i].previous(from, kinds_) : steps_[i].next(from, kinds_);
        return found && *found >= first_row_ && *found <= last_row_ ? found : std::nullopt;
    }
    [[nodiscard]] std::optional<row_number> find_behind(std::size_t i, row_number row) const {
        if (!is_descending_) return find(i, row_number{to_number(row) + 1});
        if (to_number(row) == 0) return std::nullopt;
        return find(i, row_number{to_number(row) - 1});
    }

    std::span<const step_rows> steps_;
    std::size_t first_slot_;
    record_kinds kinds_;
    row_number first_row_;
    row_number last_row_;
    bool is_descending_;
    std::vector<std::optional<row_number>> ahead_;  ///< by slot: the next row
};

}  // namespace bulk::memory
