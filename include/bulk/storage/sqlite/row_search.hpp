// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/record_place.hpp>
#include <bulk/storage/row_order.hpp>
#include <bulk/storage/sqlite/page_walk.hpp>
#include <bulk/storage/sqlite/row_pick.hpp>
#include <bulk/storage/sqlite/row_scope.hpp>
#include <bulk/storage/sqlite/row_table.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// Answers one query for rows. By row, step, state and failure the records are found in their order,
/// from the cursor on and no further than the page goes; for the other orders the page's worth that
/// comes first is picked while all that match go by.
class row_search {
public:
    /// No row has a record behind `last_step`.
    row_search(row_table& rows, const row_query& query, step_index last_step)
        : rows_{rows}, query_{query}, scope_{query}, last_step_{last_step} {}

    [[nodiscard]] page<row_record> records(const std::optional<row_order>& after) {
        page<row_record> found;
        if (scope_.is_empty()) return found;
        if (query_.with_total) found.total = count();
        const bool is_picked =
            query_.sort == row_sort::row_id || query_.sort == row_sort::started_at;
        const auto places = is_picked
                                ? row_pick{rows_, query_, scope_}.first(after, query_.page_size)
                                : in_order(after);
        // The last one of that many is only counted, and so it may be damaged.
        const bool has_more = places.size() == query_.page_size;
        std::map<std::uint64_t, window_page> pages;
        for (const auto& each : std::span{places}.first(places.size() - (has_more ? 1 : 0))) {
            const auto number = page_of(to_number(each.place.row()));
            auto at = pages.find(number);
            if (at == pages.end()) at = pages.emplace(number, rows_.page(number)).first;
            if (auto record = rows_.get(each.place.row(), each.place.step(), at->second))
                found.items.push_back(std::move(*record));
            else  // an index has what its table has not
                rows_.note_damage(each.place.row(), "record", each.place.step());
        }
        if (has_more) found.items.emplace_back();
        return found;
    }

    [[nodiscard]] page<row_number> row_numbers(std::optional<row_number> after) {
        page<row_number> found;
        if (scope_.is_empty()) return found;
        if (query_.with_total) found.total = count_rows();
        found.items = scope_.has_packed() ? walk_rows(after) : select_rows(after);
        return found;
    }

private:
    [[nodiscard]] std::uint64_t count() {
        if (!scope_.has_packed()) return select_count("count(*)");
        std::uint64_t all = 0;
        page_walk{rows_, scope_, false}.each_page(std::nullopt, [&](const found_rows& found) {
            for (const auto& [step, bits] : found.steps) all += bits.count();
            return true;
        });
        return all;
    }

    [[nodiscard]] std::uint64_t count_rows() {
        if (!scope_.has_packed()) return select_count("count(DISTINCT row)");
        std::uint64_t all = 0;
        page_walk{rows_, scope_, false}.each_page(std::nullopt, [&](const found_rows& found) {
            all += found.any_step().count();
            return true;
        });
        return all;
    }

    [[nodiscard]] std::uint64_t select_count(std::string_view what) {
        std::uint64_t all = 0;
        auto row = scope_.ask(
            rows_.database(),
            concat("SELECT ", what, " FROM bulk_records", scope_.index(),
                   " WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 AND ", scope_.condition()),
            rows_.operation(), scope_.first(), scope_.last());
        if (row.next()) row.read(all);
        return all;
    }

    /// In an order that is one walk by row for each step, state or failure.
    [[nodiscard]] std::vector<row_order> in_order(const std::optional<row_order>& after) {
        std::vector<std::pair<std::int64_t, row_scope>> legs;
        switch (query_.sort) {
            case row_sort::step:
                for (int step = to_number(validation_step); step <= to_number(last_step_); ++step)
                    if (const step_index at{static_cast<std::int16_t>(step)};
                        !query_.step || *query_.step == at)
                        legs.emplace_back(step, scope_.at_step(at));
                break;
            case row_sort::state:
                for (const auto& [state, name] : enumerators_of<row_state>)
                    if (scope_.has(state))
                        legs.emplace_back(std::to_underlying(state), scope_.in_state(state));
                break;
            case row_sort::failure:
                if (!query_.failure) legs.emplace_back(0, scope_.failed_by(std::nullopt));
                for (const auto& [failure, name] : enumerators_of<error_type>)
                    if (!query_.failure || *query_.failure == failure)
                        legs.emplace_back(order_of(std::optional{failure}),
                                          scope_.failed_by(failure));
                break;
            default:
                legs.emplace_back(0, scope_);
        }
        if (query_.descending) std::ranges::reverse(legs);
        std::vector<row_order> found;
        for (const auto& [number, scope] : legs) {
            std::optional<record_place> from;
            if (after) {
                if (query_.descending ? number > after->number : number < after->number) continue;
                if (number == after->number) from = after->place;
            }
            const auto places = scope.has_packed()
                                    ? walk_leg(scope, from, query_.page_size - found.size())
                                    : select_leg(scope, from, query_.page_size - found.size());
            for (const auto& place : places) found.push_back({.number = number, .place = place});
            if (found.size() >= query_.page_size) break;
        }
        return found;
    }

    [[nodiscard]] bool is_behind(const record_place& place,
                                 const std::optional<record_place>& after) const {
        return !after || (query_.descending ? place < *after : *after < place);
    }

    [[nodiscard]] std::vector<record_place> walk_leg(const row_scope& scope,
                                                     const std::optional<record_place>& after,
                                                     std::size_t most) {
        std::vector<record_place> places;
        const auto from = after ? std::optional{after->row()} : std::nullopt;
        page_walk{rows_, scope, query_.descending}.each_page(from, [&](const found_rows& found) {
            return found.each(query_.descending, [&](const record_place& place) {
                if (is_behind(place, after)) places.push_back(place);
                return places.size() < most;
            });
        });
        return places;
    }

    /// Without packed records SQL alone finds them: of each state as many as are wanted.
    [[nodiscard]] std::vector<record_place> select_leg(const row_scope& scope,
                                                       const std::optional<record_place>& after,
                                                       std::size_t most) {
        std::vector<record_place> places;
        for (const auto& [state, name] : enumerators_of<row_state>) {
            if (!scope.has(state)) continue;
            const auto part = scope.in_state(state);
            const auto [first, last] = part.rows_behind(
                after ? std::optional{after->row()} : std::nullopt, query_.descending);
            const std::string_view direction = query_.descending ? " DESC" : "";
            const std::string_view behind =
                query_.descending ? " AND (row, step) < (?8, ?9)" : " AND (row, step) > (?8, ?9)";
            auto row = part.ask(rows_.database(),
                                concat("SELECT row, step FROM bulk_records", part.index(),
                                       " WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 AND ",
                                       part.condition(), after ? behind : "", " ORDER BY row",
                                       direction, ", step", direction, " LIMIT ?10"),
                                rows_.operation(), first, last,
                                after ? std::optional{after->row()} : std::nullopt,
                                after ? std::optional{after->step()} : std::nullopt, most);
            while (row.next()) places.push_back(place_in(row));
        }
        std::ranges::sort(places);
        if (query_.descending) std::ranges::reverse(places);
        if (places.size() > most) places.resize(most);
        return places;
    }

    [[nodiscard]] std::vector<row_number> walk_rows(std::optional<row_number> after) {
        std::vector<row_number> rows;
        page_walk{rows_, scope_, query_.descending}.each_page(after, [&](const found_rows& found) {
            return found.any_step().each(query_.descending, [&](std::size_t at) {
                const row_number row{first_row_of(found.page) + at};
                if (!after || (query_.descending ? row < *after : *after < row))
                    rows.push_back(row);
                return rows.size() < query_.page_size;
            });
        });
        return rows;
    }

    [[nodiscard]] std::vector<row_number> select_rows(std::optional<row_number> after) {
        std::vector<row_number> rows;
        for (const auto& [state, name] : enumerators_of<row_state>) {
            if (!scope_.has(state)) continue;
            const auto part = scope_.in_state(state);
            const auto [first, last] = part.rows_behind(after, query_.descending);
            const std::string_view behind = query_.descending ? " AND row < ?8" : " AND row > ?8";
            auto row = part.ask(rows_.database(),
                                concat("SELECT DISTINCT row FROM bulk_records", part.index(),
                                       " WHERE operation = ?1 AND row BETWEEN ?2 AND ?3 AND ",
                                       part.condition(), after ? behind : "", " ORDER BY row",
                                       query_.descending ? " DESC" : "", " LIMIT ?9"),
                                rows_.operation(), first, last, after, query_.page_size);
            while (row.next()) row.read(rows.emplace_back());
        }
        std::ranges::sort(rows);
        const auto twice = std::ranges::unique(rows);
        rows.erase(twice.begin(), twice.end());
        if (query_.descending) std::ranges::reverse(rows);
        if (rows.size() > query_.page_size) rows.resize(query_.page_size);
        return rows;
    }

    row_table& rows_;
    const row_query& query_;
    row_scope scope_;
    step_index last_step_;
};

}  // namespace bulk::sqlite
