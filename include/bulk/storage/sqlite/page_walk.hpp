// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/sqlite/page_bits.hpp>
#include <bulk/storage/sqlite/row_scope.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/window_page.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// What a page's worth of rows has of what is looked for.
struct found_rows {
    std::uint64_t page = 0;
    window_page windows{};
    std::map<step_index, page_bits> steps{};
    std::vector<std::pair<record_place, std::optional<timestamp>>> apart{};  ///< when those began

    /// When a record that was found began.
    [[nodiscard]] std::optional<timestamp> started_at(const record_place& place) const {
        const auto at = std::ranges::lower_bound(
            apart, place, {}, &std::pair<record_place, std::optional<timestamp>>::first);
        if (at != apart.end() && at->first == place) return at->second;
        const auto* window = windows.find(place_in_page(to_number(place.row())), place.step());
        return window != nullptr ? std::optional{window->started_at} : std::nullopt;
    }

    [[nodiscard]] page_bits any_step() const {
        page_bits all;
        for (const auto& [step, bits] : steps) all.add(bits);
        return all;
    }

    /// Each by row, then step, or backwards, until `visit` says false, which is then the answer.
    template <typename Visit>
    bool each(bool is_descending, Visit visit) const {
        return any_step().each(is_descending, [&](std::size_t at) {
            const row_number row{first_row_of(page) + at};
            const auto visit_step = [&](const auto& step) {
                return !step.second.has(at) || visit(record_place{row, step.first});
            };
            return is_descending ? std::all_of(steps.rbegin(), steps.rend(), visit_step)
                                 : std::all_of(steps.begin(), steps.end(), visit_step);
        });
    }
};

/// Goes through the records of a scope, a page's worth of rows after the other, by row or backwards,
/// and passes by where there are none: the one place where packed records and those apart are put
/// together.
class page_walk {
public:
    page_walk(row_table& rows, const row_scope& scope, bool is_descending)
        : rows_{rows}, scope_{scope}, is_descending_{is_descending} {
        if (scope.has_packed()) {
            parts_.emplace_back(scope, next_sql(scope, ""));
            return;
        }
        for (const auto& [state, name] : enumerators_of<row_state>)
            if (scope.has(state)) {
                const auto part = scope.in_state(state);
                parts_.emplace_back(part, next_sql(part, part.index()));
            }
    }

    /// From a row on, until `visit` says false.
    template <typename Visit>
    void each_page(std::optional<row_number> from, Visit visit) {
        auto [first, last] = scope_.rows_behind(from, is_descending_);
        while (first <= last) {
            const auto page = next_page(first, last);
            if (!page || !visit(load(*page))) return;
            if (is_descending_ && *page == 0) return;
            if (is_descending_)
                last = first_row_of(*page) - 1;
            else
                first = first_row_of(*page + 1);
        }
    }

private:
    [[nodiscard]] std::string next_sql(const row_scope& part, std::string_view index) const {
        return concat("SELECT row FROM bulk_records", index,
                      " WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 AND ", part.condition(),
                      " ORDER BY row", is_descending_ ? " DESC" : "", " LIMIT 1");
    }

    /// The next page that may have something.
    [[nodiscard]] std::optional<std::uint64_t> next_page(std::uint64_t first, std::uint64_t last) {
        if (!scope_.rows().empty()) return next_listed(first, last);
        std::optional<std::uint64_t> packed;
        if (scope_.has_packed()) {
            auto row = rows_.database().rows(
                is_descending_ ? "SELECT page FROM bulk_pages WHERE operation = ?1 AND page "
                                 "BETWEEN ?2 AND ?3 ORDER BY page DESC LIMIT 1"
                               : "SELECT page FROM bulk_pages WHERE operation = ?1 AND page "
                                 "BETWEEN ?2 AND ?3 ORDER BY page LIMIT 1",
                rows_.operation(), page_of(first), page_of(last));
            if (row.next()) row.read(packed);
        }
        if (packed == page_of(is_descending_ ? last : first)) return packed;
        if (packed && is_descending_) first = first_row_of(*packed + 1);
        if (packed && !is_descending_) last = first_row_of(*packed) - 1;
        auto next = packed;
        for (const auto& [part, sql] : parts_) {
            auto row = part.ask(rows_.database(), sql, rows_.operation(), first, last);
            if (!row.next()) continue;
            std::uint64_t number = 0;
            row.read(number);
            if (const auto page = page_of(number); !next || is_before(page, *next)) next = page;
        }
        return next;
    }

    [[nodiscard]] std::optional<std::uint64_t> next_listed(std::uint64_t first,
                                                           std::uint64_t last) const {
        const auto& rows = scope_.rows();
        const auto at = std::ranges::lower_bound(rows, row_number{first});
        const auto end = std::ranges::upper_bound(rows, row_number{last});
        if (at >= end) return std::nullopt;
        return page_of(to_number(is_descending_ ? *(end - 1) : *at));
    }

    [[nodiscard]] found_rows load(std::uint64_t page) {
        found_rows found{.page = page};
        const auto base = first_row_of(page);
        const auto first = std::max(base, scope_.first());
        const auto last = std::min(base + rows_per_page - 1, scope_.last());
        if (scope_.has_packed()) add_packed(found, first, last);
        auto row = scope_.ask(
            rows_.database(),
            concat("SELECT row, step, started_at, seal IS ", seals::record, ", ",
                   scope_.condition(),
                   " FROM bulk_records WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 ORDER BY "
                   "row, step"),
            rows_.operation(), first, last);
        while (row.next()) {
            row_number number{};
            step_index step{};
            std::optional<timestamp> started;
            bool is_intact = false, is_wanted = false;
            row.read(number, step, started, is_intact, is_wanted);
            if (!is_intact) {
                rows_.note_damage(number, "record", step);
                break;
            }
            const auto at = place_in_page(to_number(number));
            if (is_wanted) {
                found.steps[step].add(at);
                found.apart.emplace_back(record_place{number, step}, started);
            } else if (const auto bits = found.steps.find(step); bits != found.steps.end()) {
                bits->second.remove(at);
            }
        }
        return found;
    }

    void add_packed(found_rows& found, std::uint64_t first, std::uint64_t last) {
        found.windows = rows_.page(found.page);
        for (const auto& each : found.windows.windows()) {
            const auto from = std::max(each.first_step, scope_.step().value_or(each.first_step));
            const auto to = std::min(each.last_step, scope_.step().value_or(each.last_step));
            for (auto step = from; step <= to; step = next(step))
                found.steps[step].add(each.first, each.end());
        }
        const auto base = first_row_of(found.page);
        const bool has_all = first == base && last == base + rows_per_page - 1;
        if (has_all && scope_.rows().empty() && !scope_.has_id_part()) return;
        page_bits wanted;
        wanted.add(first - base, last + 1 - base);
        if (!scope_.rows().empty()) {
            page_bits listed;
            for (auto at = std::ranges::lower_bound(scope_.rows(), row_number{first});
                 at != scope_.rows().end() && to_number(*at) <= last; ++at)
                listed.add(to_number(*at) - base);
            wanted.keep(listed);
        }
        if (scope_.has_id_part()) {
            page_bits named;
            auto row = scope_.ask(rows_.database(),
                                  "SELECT row FROM bulk_row_ids WHERE operation = ?1 AND row "
                                  "BETWEEN ?2 AND ?3 AND instr(lower(id), ?5) > 0",
                                  rows_.operation(), first, last);
            while (row.next()) {
                std::uint64_t number = 0;
                row.read(number);
                named.add(number - base);
            }
            wanted.keep(named);
        }
        for (auto& [step, bits] : found.steps) bits.keep(wanted);
    }

    [[nodiscard]] bool is_before(std::uint64_t page, std::uint64_t other) const {
        return is_descending_ ? page > other : page < other;
    }

    static step_index next(step_index step) { return static_cast<step_index>(to_number(step) + 1); }

    row_table& rows_;
    const row_scope& scope_;
    bool is_descending_;
    std::vector<std::pair<row_scope, std::string>> parts_;  ///< with what finds their next record
};

}  // namespace bulk::sqlite
