// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/memory/record_page.hpp>
#include <bulk/storage/memory/row_bits.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::memory {

/// Which records are meant: those apart in some states, and those that are packed.
struct record_kinds {
    std::array<bool, enumerators_of<row_state>.size()> apart{};
    bool packed = false;

    [[nodiscard]] bool has(row_state state) const { return apart[std::to_underlying(state)]; }
};

/// Rows that follow each other.
struct row_stretch {
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< the row behind the last
};

/// Which rows have a record of one step: packed pages for what went well at once, and for each
/// state the rows with a record apart in it, which wins over the page.
class step_rows {
public:
    /// Rows that went through the step, in order.
    void add(std::span<const rows_completed> stretches) {
        for (const auto& each : stretches) {
            count(each);
            gather(each);
        }
        add_gathered();
    }

    /// A record apart changes its state, or is new.
    void put(row_number row, std::optional<row_state> before, row_state after) {
        if (before == after) return;
        if (before)
            of(*before).erase(row);
        else if (packed(row) != nullptr)
            ++shadowed_;
        of(after).insert(row);
    }

    /// The run of a page that the row is in. A record apart wins over it.
    [[nodiscard]] const completed_run* packed(row_number row) const {
        const auto at = to_number(row) - 1;
        const auto page = at / rows_per_page;
        return page < pages_.size() ? pages_[page].find(at % rows_per_page) : nullptr;
    }

    [[nodiscard]] bool empty() const { return packed_ == 0 && apart_size() == 0; }

    [[nodiscard]] std::uint64_t count(const record_kinds& kinds) const {
        std::uint64_t found = kinds.packed ? packed_ - shadowed_ : 0;
        for (std::size_t i = 0; i < apart_.size(); ++i)
            found += kinds.apart[i] ? apart_[i].size() : 0;
        return found;
    }

    /// The first row that is not before this one and has such a record.
    [[nodiscard]] std::optional<row_number> next(row_number row, const record_kinds& kinds) const {
        std::optional<row_number> found;
        for (std::size_t i = 0; i < apart_.size(); ++i)
            if (kinds.apart[i])
                if (const auto each = apart_[i].next(row); each && (!found || *each < *found))
                    found = each;
        if (!kinds.packed || packed_ == 0) return found;
        auto each = next_packed(row);
        while (each && shadowed_ > 0 && is_apart(*each))
            each = next_packed(row_number{to_number(*each) + 1});
        return each && (!found || *each < *found) ? each : found;
    }

    /// The last row that is not behind this one and has such a record.
    [[nodiscard]] std::optional<row_number> previous(row_number row,
                                                     const record_kinds& kinds) const {
        std::optional<row_number> found;
        for (std::size_t i = 0; i < apart_.size(); ++i)
            if (kinds.apart[i])
                if (const auto each = apart_[i].previous(row); each && (!found || *each > *found))
                    found = each;
        if (!kinds.packed || packed_ == 0) return found;
        auto each = previous_packed(row);
        while (each && shadowed_ > 0 && is_apart(*each))
            each = previous_packed(row_number{to_number(*each) - 1});
        return each && (!found || *each > *found) ? each : found;
    }

    /// Adds every row that has such a record.
    void gather(row_mask& into, const record_kinds& kinds) const {
        if (kinds.packed && packed_ > 0) {
            row_mask packed;
            visit_runs(row_number{1}, row_number{pages_.size() * rows_per_page + 1},
                       [&](std::uint64_t first, std::uint64_t end) { packed.add(first, end); });
            for (const auto& each : apart_) packed.remove(each);
            into.add(packed);
        }
        for (std::size_t i = 0; i < apart_.size(); ++i)
            if (kinds.apart[i]) into.add(apart_[i]);
    }

    /// The packed rows between `first` and before `end`, as stretches (first row, row behind it).
    template <typename Visit>
    void visit_runs(row_number first, row_number end, Visit visit) const {
        const auto from = std::max<std::uint64_t>(to_number(first), 1) - 1;
        const auto to = std::max<std::uint64_t>(to_number(end), 1) - 1;
        for (auto page = from / rows_per_page; page < pages_.size() && page * rows_per_page < to;
             ++page) {
            const auto base = page * rows_per_page;
            const auto& runs = pages_[page].runs();
            auto at = runs.begin();
            if (from > base) {
                at = std::ranges::upper_bound(runs, from - base, {}, &completed_run::first);
                if (at != runs.begin()) --at;
            }
            for (; at != runs.end() && base + at->first < to; ++at)
                if (base + at->end() > from)
                    visit(std::max(base + at->first, from) + 1, std::min(base + at->end(), to) + 1);
        }
    }

    /// Takes those out of the rows that have a record, and shows the packed ones of them; all in
    /// order. `scratch` is for the time being.
    template <typename Found>
    void take(std::vector<row_stretch>& rows, std::vector<row_stretch>& scratch,
              Found found) const {
        if (apart_size() > 0) {
            cut(
                rows, scratch, [](const row_stretch&) {},
                [&](row_number first, row_number end, auto each) {
                    for (auto row = next_apart(first); row && *row < end;
                         row = next_apart(row_number{to_number(*row) + 1}))
                        each(to_number(*row), to_number(*row) + 1);
                });
        }
        cut(rows, scratch, found,
            [&](row_number first, row_number end, auto each) { visit_runs(first, end, each); });
    }

private:
    /// Takes the rows out that `visit` shows.
    template <typename Found, typename Visit>
    static void cut(std::vector<row_stretch>& rows, std::vector<row_stretch>& left, Found found,
                    Visit visit) {
        left.clear();
        if (rows.empty()) return;
        auto at = rows.begin();
        auto next = at->first;  // what is before it was dealt with
        const auto until = [&](std::uint64_t row, auto take) {
            for (; at != rows.end() && at->first < row; ++at) {
                const row_stretch part{std::max(at->first, next), std::min(at->end, row)};
                if (part.first < part.end) take(part);
                if (at->end > row) break;
            }
            next = std::max(next, row);
        };
        const auto leave = [&](const row_stretch& part) { left.push_back(part); };
        visit(row_number{rows.front().first}, row_number{rows.back().end},
              [&](std::uint64_t from, std::uint64_t to) {
                  until(from, leave);
                  until(to, found);
              });
        until(rows.back().end, leave);
        std::swap(rows, left);
    }

    void count(const rows_completed& stretch) {
        packed_ += stretch.rows;
        if (apart_size() == 0) return;
        const auto end = to_number(stretch.first_row) + stretch.rows;
        for (auto row = next_apart(stretch.first_row); row && to_number(*row) < end;
             row = next_apart(row_number{to_number(*row) + 1}))
            shadowed_ += packed(*row) == nullptr ? 1 : 0;
    }

    void gather(const rows_completed& stretch) {
        const auto took = stretch.completed_at - stretch.started_at;
        auto at = to_number(stretch.first_row) - 1;
        for (auto left = stretch.rows; left > 0;) {
            if (at / rows_per_page != gathered_page_) add_gathered();
            gathered_page_ = at / rows_per_page;
            const auto in_page = at % rows_per_page;
            const auto here = std::min(left, rows_per_page - in_page);
            gathered_.push_back(
                {.first = static_cast<std::uint16_t>(in_page),
                 .count = static_cast<std::uint16_t>(here),
                 .took = fits_in_run(took) ? static_cast<std::uint32_t>(took.count()) : 0U,
                 .started_at = stretch.started_at});
            at += here;
            left -= here;
        }
    }

    void add_gathered() {
        if (gathered_.empty()) return;
        if (gathered_page_ >= pages_.size()) pages_.resize(gathered_page_ + 1);
        pages_[gathered_page_].add(gathered_);
        gathered_.clear();
    }

    [[nodiscard]] row_bits& of(row_state state) { return apart_[std::to_underlying(state)]; }

    [[nodiscard]] bool is_apart(row_number row) const {
        return std::ranges::any_of(apart_, [&](const row_bits& each) { return each.has(row); });
    }
    [[nodiscard]] std::uint64_t apart_size() const {
        std::uint64_t size = 0;
        for (const auto& each : apart_) size += each.size();
        return size;
    }
    [[nodiscard]] std::optional<row_number> next_apart(row_number row) const {
        record_kinds all;
        all.apart.fill(true);
        return next(row, all);
    }

    [[nodiscard]] std::optional<row_number> next_packed(row_number row) const {
        const auto from = std::max<std::uint64_t>(to_number(row), 1) - 1;
        for (auto page = from / rows_per_page; page < pages_.size(); ++page) {
            const auto base = page * rows_per_page;
            const auto at = from > base ? from - base : 0;
            const auto& runs = pages_[page].runs();
            const auto after = std::ranges::upper_bound(runs, at, {}, &completed_run::first);
            if (after != runs.begin() && std::prev(after)->end() > at)
                return row_number{base + at + 1};
            if (after != runs.end()) return row_number{base + after->first + 1};
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<row_number> previous_packed(row_number row) const {
        if (to_number(row) == 0) return std::nullopt;
        const auto from = to_number(row) - 1;
        for (auto page = std::min<std::uint64_t>(from / rows_per_page + 1, pages_.size()); page > 0;
             --page) {
            const auto base = (page - 1) * rows_per_page;
            const auto at = std::min(from - base, rows_per_page - 1);
            const auto& runs = pages_[page - 1].runs();
            const auto after = std::ranges::upper_bound(runs, at, {}, &completed_run::first);
            if (after == runs.begin()) continue;
            const auto& run = *std::prev(after);
            return row_number{base + std::min<std::uint64_t>(at, run.end() - 1) + 1};
        }
        return std::nullopt;
    }

    std::vector<record_page> pages_;
    std::vector<completed_run> gathered_;  ///< for one page; empty but while rows are added
    std::uint64_t gathered_page_ = 0;
    std::uint64_t packed_ = 0;    ///< rows in the pages
    std::uint64_t shadowed_ = 0;  ///< of them, those with a record apart
    std::array<row_bits, enumerators_of<row_state>.size()> apart_;
};

}  // namespace bulk::memory
