// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/memory/kept_record.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::memory {

/// The records apart of one operation by row, then step. So many rows share a shelf that one more
/// record between them moves little.
class record_shelves {
public:
    /// Replaces the one of its row and step, of which `replaced` is told before; the state that one was in,
    /// if there was one.
    template <typename Replaced>
    std::optional<row_state> put(const row_record& record, wait_end end, Replaced replaced) {
        const auto number = to_number(record.row) / rows_per_shelf;
        if (number >= shelves_.size()) shelves_.resize(number + 1);
        auto& shelf = shelves_[number];
        const auto key = key_of({record.row, record.step});
        if (shelf.empty() || shelf.back().key() < key) {
            shelf.emplace_back(key, record, end);
            return std::nullopt;
        }
        const auto at = std::ranges::lower_bound(shelf, key, {}, &kept_record::key);
        if (at->key() != key) {
            shelf.emplace(at, key, record, end);
            return std::nullopt;
        }
        const auto before = at->state();
        replaced(std::as_const(*at));
        *at = kept_record{key, record, end};
        return before;
    }

    void move_steps(const step_moves& to) {
        for (auto& shelf : shelves_)
            for (auto& each : shelf)
                each.set_key((each.key() & ~0xffffU) |
                             static_cast<std::uint32_t>(slot_of(moved(step_of(each), to))));
    }

    /// Valid until the next `put`.
    [[nodiscard]] const kept_record* find(record_place place) const {
        const auto number = to_number(place.row()) / rows_per_shelf;
        if (number >= shelves_.size()) return nullptr;
        const auto& shelf = shelves_[number];
        const auto key = key_of(place);
        const auto at = std::ranges::lower_bound(shelf, key, {}, &kept_record::key);
        return at != shelf.end() && at->key() == key ? &*at : nullptr;
    }

    [[nodiscard]] kept_record* find(record_place place) {
        return const_cast<kept_record*>(std::as_const(*this).find(place));
    }

    /// All of one row, by step.
    [[nodiscard]] std::span<const kept_record> of_row(row_number row) const {
        const auto number = to_number(row) / rows_per_shelf;
        if (number >= shelves_.size()) return {};
        const auto& shelf = shelves_[number];
        const auto begin =
            std::ranges::lower_bound(shelf, key_of({row, validation_step}), {}, &kept_record::key);
        const auto end = std::find_if(begin, shelf.end(), [&](const kept_record& each) {
            return row_of(number, each) != row;
        });
        return {begin, end};
    }

    /// Those of the rows from `first` to before `end`, by row, then step.
    template <typename Visit>
    void visit(row_number first, row_number end, Visit visit) const {
        const auto last = std::min<std::uint64_t>(
            shelves_.size(), (to_number(end) + rows_per_shelf - 1) / rows_per_shelf);
        for (auto number = to_number(first) / rows_per_shelf; number < last; ++number) {
            const auto& shelf = shelves_[number];
            auto at = shelf.begin();
            if (number == to_number(first) / rows_per_shelf)
                at = std::ranges::lower_bound(shelf, key_of({first, validation_step}), {},
                                              &kept_record::key);
            for (; at != shelf.end() && row_of(number, *at) < end; ++at)
                visit(row_of(number, *at), step_of(*at), *at);
        }
    }

    [[nodiscard]] static step_index step_of(const kept_record& record) {
        return bulk::step_of(record.key() & 0xffffU);
    }

private:
    static constexpr std::uint64_t rows_per_shelf = 256;

    static std::uint32_t key_of(record_place place) {
        const auto in_shelf = static_cast<std::uint32_t>(to_number(place.row()) % rows_per_shelf);
        return in_shelf << 16 | static_cast<std::uint32_t>(place.slot());
    }
    static row_number row_of(std::uint64_t shelf, const kept_record& record) {
        return row_number{shelf * rows_per_shelf + (record.key() >> 16)};
    }

    std::vector<std::vector<kept_record>> shelves_;
};

}  // namespace bulk::memory
