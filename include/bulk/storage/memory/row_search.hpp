// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/first_places.hpp>
#include <bulk/storage/memory/place_walk.hpp>
#include <bulk/storage/memory/row_filter.hpp>
#include <bulk/storage/memory/row_order.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Answers one query. By row, step and state the records are found in their order, from the cursor
/// on and no further than the page goes; for the other orders the page's worth that comes first is
/// picked while all that match go by.
class row_search {
public:
    /// `candidates`, if somebody knows them: no other place has a record that matches.
    row_search(const row_table& rows, const row_query& query,
               std::optional<std::vector<record_place>> candidates)
        : rows_{rows}, query_{query}, filter_{rows, query}, candidates_{std::move(candidates)} {
        if (!query.rows.empty()) restrict_to_rows();
    }

    [[nodiscard]] page<row_record> records(const std::optional<row_order>& after) const {
        page<row_record> found;
        if (query_.with_total) found.total = count();
        const bool is_lazy = query_.sort == row_sort::row || query_.sort == row_sort::step ||
                             query_.sort == row_sort::state;
        const auto places = is_lazy && !candidates_ ? walk_in_order(after) : pick(after);
        const bool has_more = places.size() == query_.page_size;  // the last is only counted
        for (const auto at : std::span{places}.first(places.size() - (has_more ? 1 : 0)))
            found.items.push_back(rows_.at(at));
        if (has_more) found.items.emplace_back();
        return found;
    }

    [[nodiscard]] page<row_number> row_numbers(std::optional<row_number> after) const {
        page<row_number> found;
        if (query_.with_total) found.total = count_rows();
        visit_rows(after, [&](row_number row) {
            found.items.push_back(row);
            return found.items.size() < query_.page_size;
        });
        return found;
    }

private:
    void restrict_to_rows() {
        std::vector<row_number> rows = query_.rows;
        std::ranges::sort(rows);
        const auto twice = std::ranges::unique(rows);
        rows.erase(twice.begin(), twice.end());
        if (candidates_) {
            std::erase_if(*candidates_, [&](record_place at) {
                return !std::ranges::binary_search(rows, at.row());
            });
            return;
        }
        candidates_.emplace();
        for (const auto row : rows)
            for (auto slot = filter_.first_slot(); slot < filter_.end_slot(); ++slot)
                candidates_->emplace_back(row, step_of(slot));
    }

    [[nodiscard]] place_walk walk(std::size_t first_slot, std::size_t end_slot,
                                  const record_kinds& kinds) const {
        const std::span steps{rows_.steps()};
        return {steps.subspan(first_slot, end_slot - first_slot),
                first_slot,
                kinds,
                filter_.first_row(),
                filter_.last_row(),
                query_.descending};
    }

    /// Every place that matches, by row or backwards, until `visit` says false.
    template <typename Visit>
    void visit_matches(Visit visit) const {
        read_pulse pulse;
        if (candidates_) {
            for (std::size_t i = 0; i < candidates_->size() && !pulse.is_over(); ++i) {
                const auto at = (*candidates_)[query_.descending ? candidates_->size() - 1 - i : i];
                if (filter_.matches(at) && !visit(at)) return;
            }
            return;
        }
        auto places = walk(filter_.first_slot(), filter_.end_slot(), filter_.kinds());
        while (const auto at = places.take())
            if (pulse.is_over() || (filter_.holds(*at) && !visit(*at))) return;
    }

    /// The rows that match behind `after`, each once.
    template <typename Visit>
    void visit_rows(std::optional<row_number> after, Visit visit) const {
        if (candidates_) {
            visit_matches([&](record_place at) {
                if (after && (query_.descending ? at.row() >= *after : at.row() <= *after))
                    return true;
                after = at.row();
                return visit(at.row());
            });
            return;
        }
        auto places = walk(filter_.first_slot(), filter_.end_slot(), filter_.kinds());
        if (after) places.skip_row(*after);
        read_pulse pulse;
        while (const auto at = places.take()) {
            if (pulse.is_over()) return;
            if (!filter_.holds(*at)) continue;
            if (!visit(at->row())) return;
            places.skip_row(at->row());
        }
    }

    [[nodiscard]] std::uint64_t count() const {
        std::uint64_t found = 0;
        if (!filter_.is_indexed() || candidates_) {
            visit_matches([&](record_place) {
                ++found;
                return true;
            });
            return found;
        }
        for (auto slot = filter_.first_slot(); slot < filter_.end_slot(); ++slot)
            if (filter_.is_over_all_rows()) {
                found += rows_.steps()[slot].count(filter_.kinds());
            } else {
                row_mask mask;
                rows_.steps()[slot].gather(mask, filter_.kinds());
                found += count_in(mask);
            }
        return found;
    }

    [[nodiscard]] std::uint64_t count_rows() const {
        if (filter_.is_indexed() && !candidates_) {
            row_mask mask;
            for (auto slot = filter_.first_slot(); slot < filter_.end_slot(); ++slot)
                rows_.steps()[slot].gather(mask, filter_.kinds());
            return count_in(mask);
        }
        std::uint64_t found = 0;
        visit_rows(std::nullopt, [&](row_number) {
            ++found;
            return true;
        });
        return found;
    }

    [[nodiscard]] std::uint64_t count_in(const row_mask& mask) const {
        return mask.count(to_number(filter_.first_row()), to_number(filter_.last_row()) + 1);
    }

    /// In an order that is one walk by row for each step, or for each state.
    [[nodiscard]] std::vector<record_place> walk_in_order(
        const std::optional<row_order>& after) const {
        std::vector<record_place> found;
        read_pulse pulse;
        const auto go = [&](std::int64_t number, place_walk places) {
            if (after) {
                const auto order = std::pair{number, after->number};
                if (query_.descending ? order.first > order.second : order.first < order.second)
                    return;
                if (order.first == order.second) places.skip_to(after->place);
            }
            while (found.size() < query_.page_size && !pulse.is_over())
                if (const auto at = places.take(); !at)
                    return;
                else if (filter_.holds(*at))
                    found.push_back(*at);
        };
        const auto each_number = [&](std::size_t first, std::size_t end, auto leg) {
            for (auto i = first; i < end && found.size() < query_.page_size; ++i)
                leg(query_.descending ? end - 1 - (i - first) : i);
        };
        const auto first = filter_.first_slot(), end = filter_.end_slot();
        if (query_.sort == row_sort::row) go(0, walk(first, end, filter_.kinds()));
        if (query_.sort == row_sort::step)
            each_number(first, end, [&](std::size_t slot) {
                go(to_number(step_of(slot)), walk(slot, slot + 1, filter_.kinds()));
            });
        if (query_.sort == row_sort::state)
            each_number(0, filter_.kinds().apart.size(), [&](std::size_t state) {
                record_kinds kinds;
                kinds.apart[state] = filter_.kinds().apart[state];
                const auto is_completed = state == std::to_underlying(row_state::completed);
                kinds.packed = filter_.kinds().packed && is_completed;
                go(static_cast<std::int64_t>(state), walk(first, end, kinds));
            });
        return found;
    }

    /// In any order.
    [[nodiscard]] std::vector<record_place> pick(const std::optional<row_order>& after) const {
        first_places best{after, query_.descending, query_.page_size};
        visit_matches([&](record_place at) {
            best.add(order_in(rows_, at, query_.sort));
            return true;
        });
        std::vector<record_place> found;
        found.reserve(query_.page_size);
        for (const auto& each : std::move(best).take()) found.push_back(each.place);
        return found;
    }

    const row_table& rows_;
    const row_query& query_;
    row_filter filter_;
    std::optional<std::vector<record_place>> candidates_;  ///< by row, then step
};

}  // namespace bulk::memory
