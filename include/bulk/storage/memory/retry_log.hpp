// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/storage/step_moves.hpp>

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk::memory {

/// How the rows of one operation had failed before they were tried again. Put in order when somebody
/// asks: a retry of a hundred thousand rows adds as many, and is asked about seldom.
class retry_log {
public:
    void add(retry_entry entry) {
        is_sorted_ = is_sorted_ && (all_.empty() || place_of(all_.back()) < place_of(entry));
        all_.push_back(std::move(entry));
    }

    void move_steps(const step_moves& to) {
        for (auto& each : all_) each.step = moved(each.step, to);
    }

    [[nodiscard]] result<page<retry_entry>> query(const retry_history_query& query) {
        if (!std::exchange(is_sorted_, true)) std::ranges::sort(all_, {}, place_of);
        std::optional<place> after;
        if (!query.after.empty()) {
            const auto parsed = parse(query.after);
            if (!parsed) return std::unexpected{parsed.error()};
            after = *parsed;
        }
        auto at = all_.begin();
        if (query.row)
            at =
                std::ranges::lower_bound(all_, place{*query.row, validation_step, 0}, {}, place_of);
        page<retry_entry> found;
        const bool is_restricted = query.row || query.step || query.retry_attempt;
        if (!is_restricted) {
            found.total = all_.size();
            if (after) at = std::ranges::upper_bound(all_, *after, {}, place_of);
        }
        for (; at != all_.end(); ++at) {
            const retry_entry& entry = *at;
            if (query.row && entry.row != *query.row) break;
            if (query.step && entry.step != *query.step) continue;
            if (query.retry_attempt && entry.retry_attempt != *query.retry_attempt) continue;
            if (is_restricted) ++found.total;
            if (after && place_of(entry) <= *after) continue;
            if (found.items.size() < query.page_size) {
                found.items.push_back(entry);
            } else {
                if (found.next.empty()) found.next = text_of(found.items.back());
                if (!is_restricted) break;
            }
        }
        return found;
    }

private:
    using place = std::tuple<row_number, step_index, std::uint32_t>;

    static place place_of(const retry_entry& entry) {
        return {entry.row, entry.step, entry.retry_attempt};
    }

    static std::string text_of(const retry_entry& entry) {
        return to_text(cursor{.id = concat(to_number(entry.row), ' ', to_number(entry.step), ' ',
                                           entry.retry_attempt)});
    }

    static result<place> parse(std::string_view text) {
        const auto at = parse_cursor(text);
        if (!at) return std::unexpected{at.error()};
        std::uint64_t row = 0;
        std::int16_t step = 0;
        std::uint32_t attempt = 0;
        const char* next = at->id.data();
        const char* const end = next + at->id.size();
        const auto take = [&](auto& into) {
            if (next == nullptr) return;
            if (next != end && *next == ' ') ++next;
            const auto [last, status] = std::from_chars(next, end, into);
            next = status == std::errc{} ? last : nullptr;
        };
        take(row);
        take(step);
        take(attempt);
        if (next != end)
            return fail(
                errc::invalid_argument,
                concat("cursor '", text.substr(0, 64),
                       "' is not one of ours: pass on what `next` of the page before said"));
        return place{row_number{row}, step_index{step}, attempt};
    }

    std::vector<retry_entry> all_;
    bool is_sorted_ = true;
};

}  // namespace bulk::memory
