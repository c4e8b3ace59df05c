// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/storage/record_page.hpp>
#include <bulk/storage/row_batch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
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

    void add(const row_batch& batch) {
        for (const auto& completed : batch.completed) add(completed);
        for (const auto& record : batch.records) put(record);
        for (const auto& [row, id] : batch.row_ids) {
            ids_.insert_or_assign(row, id);
            last_row_ = std::max(last_row_, row);
        }
    }

    [[nodiscard]] std::optional<row_record> get(row_number row, step_index step) const {
        const auto apart = apart_.find({row, step});
        std::optional<row_record> found;
        if (apart != apart_.end()) {
            found = apart->second;
        } else if (const auto* run = packed(row, step)) {
            found = row_record{.operation = operation_,
                               .row = row,
                               .step = step,
                               .state = row_state::completed,
                               .attempt = 1,
                               .started_at = run->started_at,
                               .completed_at = run->completed_at()};
        }
        if (found && found->row_id.empty())
            if (const auto id = ids_.find(row); id != ids_.end()) found->row_id = id->second;
        return found;
    }

    [[nodiscard]] std::optional<row_progress> progress(row_number row) const {
        for (auto step = static_cast<int>(pages_.size()) - 2; step >= -1; --step) {
            const auto at = static_cast<step_index>(step);
            if (const auto apart = apart_.find({row, at}); apart != apart_.end())
                return row_progress{at, apart->second.state, apart->second.attempt};
            if (packed(row, at) != nullptr) return row_progress{at, row_state::completed, 1};
        }
        return std::nullopt;
    }

    [[nodiscard]] page<row_record> query(const row_query& query) const {
        page<row_record> found;
        std::vector<std::pair<std::string, row_record>> all;  // by another key than the row
        std::optional<cursor> after;
        if (!query.after.empty()) after = parse_cursor(query.after).value();
        const bool by_row = query.sort == row_sort::row;
        bool has_more = false;
        const auto take = [&](const std::string& key, row_record&& record) {
            if (found.items.size() == query.page_size) {
                has_more = true;
                return;
            }
            found.next = to_text(cursor{key, place_text(record.row, record.step)});
            found.items.push_back(std::move(record));
        };
        visit_candidates(query, [&](row_number row, step_index step) {
            auto record = get(row, step);
            if (!record || !matches(*record, query)) return;
            ++found.total;
            if (!by_row) {
                all.emplace_back(sort_key(*record, query.sort), std::move(*record));
                return;
            }
            if (after) {
                const auto place = place_text(row, step);
                if (query.descending ? place >= after->id : place <= after->id) return;
            }
            take({}, std::move(*record));
        });
        if (!by_row) {
            const auto place = [](const auto& each) {
                return std::pair{each.first, place_text(each.second.row, each.second.step)};
            };
            std::ranges::sort(all, {}, place);
            if (query.descending) std::ranges::reverse(all);
            for (auto& each : all) {
                if (after) {
                    const std::pair limit{after->key, after->id};
                    if (query.descending ? place(each) >= limit : place(each) <= limit) continue;
                }
                take(each.first, std::move(each.second));
            }
        }
        if (!has_more) found.next.clear();
        return found;
    }

private:
    using place = std::pair<row_number, step_index>;

    static std::size_t slot(step_index step) {
        return static_cast<std::size_t>(to_number(step) + 1);
    }
    static std::uint64_t page_of(row_number row) { return (to_number(row) - 1) / rows_per_page; }
    static std::size_t in_page(row_number row) {
        return static_cast<std::size_t>((to_number(row) - 1) % rows_per_page);
    }

    /// Sorts as (row, step) does.
    static std::string place_text(row_number row, step_index step) {
        const std::string digits = std::to_string(to_number(row));
        const std::string steps = std::to_string(to_number(step) + 1);
        return std::string(20 - digits.size(), '0') + digits + ':' +
               std::string(6 - steps.size(), '0') + steps;
    }

    static std::string sort_key(const row_record& record, row_sort sort) {
        const auto number = [](std::uint64_t value) {
            const std::string digits = std::to_string(value);
            return std::string(20 - digits.size(), '0') + digits;
        };
        switch (sort) {
            case row_sort::row_id:
                return record.row_id;
            case row_sort::step:
                return number(slot(record.step));
            case row_sort::state:
                return number(static_cast<std::uint64_t>(record.state));
            case row_sort::failure:
                return record.failure ? number(1 + static_cast<std::uint64_t>(*record.failure))
                                      : number(0);
            case row_sort::started_at:
                return number(record.started_at ? static_cast<std::uint64_t>(
                                                      record.started_at->time_since_epoch().count())
                                                : 0);
            default:
                return {};
        }
    }

    [[nodiscard]] static bool matches(const row_record& record, const row_query& query) {
        const auto contains = [](std::string_view text, std::string_view part) {
            return !std::ranges::search(text, part, [](char a, char b) {
                        return lower_case(a) == lower_case(b);
                    }).empty();
        };
        const bool is_error =
            record.state == row_state::failed || record.state == row_state::timed_out;
        return (query.row_id_contains.empty() || contains(record.row_id, query.row_id_contains)) &&
               (!query.step || record.step == *query.step) &&
               (!query.state || record.state == *query.state) &&
               (!query.failure || record.failure == query.failure) &&
               (!query.errors_only || is_error) && record.retry_attempt >= query.min_retry_attempt;
    }

    [[nodiscard]] const completed_run* packed(row_number row, step_index step) const {
        if (slot(step) >= pages_.size()) return nullptr;
        const auto& pages = pages_[slot(step)];
        const auto page = page_of(row);
        return page < pages.size() ? pages[page].find(in_page(row)) : nullptr;
    }

    void add(const rows_completed& completed) {
        const auto took = completed.completed_at - completed.started_at;
        last_row_ =
            std::max(last_row_, row_number{to_number(completed.first_row) + completed.rows - 1});
        grow_to(completed.last_step);
        for (auto step = to_number(completed.first_step); step <= to_number(completed.last_step);
             ++step) {
            auto& pages = pages_[static_cast<std::size_t>(step + 1)];
            auto row = to_number(completed.first_row);
            for (auto left = completed.rows; left > 0;) {
                const auto first = in_page(row_number{row});
                const auto count = std::min<std::uint64_t>(left, rows_per_page - first);
                const auto page = page_of(row_number{row});
                if (page >= pages.size()) pages.resize(page + 1);
                pages[page].add(
                    {.first = static_cast<std::uint16_t>(first),
                     .count = static_cast<std::uint16_t>(count),
                     .took = fits_in_run(took) ? static_cast<std::uint32_t>(took.count()) : 0U,
                     .started_at = completed.started_at});
                row += count;
                left -= count;
            }
        }
    }

    void grow_to(step_index step) {
        if (slot(step) >= pages_.size()) pages_.resize(slot(step) + 1);
    }

    void put(const row_record& record) {
        grow_to(record.step);
        last_row_ = std::max(last_row_, record.row);
        const place at{record.row, record.step};
        if (const auto was = apart_.find(at); was != apart_.end())
            by_state_[static_cast<std::size_t>(was->second.state)].erase(at);
        by_state_[static_cast<std::size_t>(record.state)].insert(at);
        apart_.insert_or_assign(at, record);
    }

    /// Every place where a record that matches can be, in the order asked for; few others.
    template <typename Visit>
    void visit_candidates(const row_query& query, Visit visit) const {
        const auto is_in = [&](row_number row) {
            return (!query.from_row || row >= *query.from_row) &&
                   (!query.to_row || row <= *query.to_row);
        };
        const auto steps = static_cast<int>(pages_.size()) - 1;
        const auto visit_row = [&](row_number row) {
            if (!is_in(row)) return;
            const int first = query.step ? to_number(*query.step) : -1;
            const int last = query.step ? first : steps - 1;
            for (int i = first; i <= last; ++i)
                visit(row, static_cast<step_index>(query.descending ? first + last - i : i));
        };
        const bool is_apart = query.errors_only || query.failure || query.min_retry_attempt > 0 ||
                              (query.state && *query.state != row_state::completed);
        if (!query.rows.empty()) {
            const std::set<row_number> rows(query.rows.begin(), query.rows.end());
            if (query.descending)
                for (const auto row : std::views::reverse(rows)) visit_row(row);
            else
                for (const auto row : rows) visit_row(row);
        } else if (is_apart) {
            std::vector<place> places;
            for (std::size_t state = 0; state < by_state_.size(); ++state) {
                const auto each = static_cast<row_state>(state);
                if (query.state && *query.state != each) continue;
                if (query.errors_only && each != row_state::failed && each != row_state::timed_out)
                    continue;
                places.insert(places.end(), by_state_[state].begin(), by_state_[state].end());
            }
            std::ranges::sort(places);
            if (query.descending) std::ranges::reverse(places);
            for (const auto& [row, step] : places)
                if (is_in(row)) visit(row, step);
        } else {
            const auto first = to_number(query.from_row.value_or(row_number{1}));
            const auto last =
                std::min(to_number(query.to_row.value_or(last_row_)), to_number(last_row_));
            for (auto row = first; row <= last; ++row)
                visit_row(row_number{query.descending ? last - (row - first) : row});
        }
    }

    operation_id operation_;
    std::vector<std::vector<record_page>> pages_ =
        std::vector<std::vector<record_page>>(1);  ///< by step, validation first, then by page
    std::map<place, row_record> apart_;
    std::array<std::set<place>, enumerators_of<row_state>.size()> by_state_;  ///< of those apart
    std::map<row_number, std::string> ids_;
    row_number last_row_{};
};

}  // namespace bulk::memory
