// SPDX-License-Identifier: MIT
#pragma once

// How the records of rows are read: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/service/row_standing.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE result<std::span<const row_record>> row_histories::of(row_number row) {
    if (row > loaded_to_)
        if (auto loaded = load(row); !loaded) return std::unexpected{std::move(loaded).error()};
    while (at_ < records_.size() && records_[at_].row < row) ++at_;
    std::size_t end = at_;
    while (end < records_.size() && records_[end].row == row) ++end;
    return std::span{records_}.subspan(at_, end - at_);
}

BULK_INLINE result<row_number> row_histories::last_row() {
    auto last = storage_.query(row_query{
        .operation = operation_, .descending = true, .page_size = 1, .with_total = false});
    if (!last) return std::unexpected{std::move(last).error()};
    return last->items.empty() ? row_number{} : last->items.front().row;
}

BULK_INLINE result<> row_histories::load(row_number first) {
    row_query query{.operation = operation_, .page_size = largest_page, .with_total = false};
    if (only_.empty()) {
        loaded_to_ = row_number{to_number(first) + rows_at_once_ - 1};
        query.from_row = first;
        query.to_row = loaded_to_;
    } else {
        const auto begin = std::ranges::lower_bound(only_, first);
        const auto left = static_cast<std::uint64_t>(only_.end() - begin);
        const auto count = static_cast<std::ptrdiff_t>(std::min(left, rows_at_once_));
        query.rows.assign(begin, begin + count);
        if (query.rows.empty()) query.rows = {first};
        loaded_to_ = query.rows.back();
    }
    records_.clear();
    at_ = 0;
    do {
        auto page = storage_.query(query);
        if (!page) return std::unexpected{std::move(page).error()};
        query.after = std::move(page->next);
        if (records_.empty())
            records_ = std::move(page->items);
        else
            std::ranges::move(page->items, std::back_inserter(records_));
    } while (!query.after.empty());
    return {};
}

BULK_INLINE row_standing standing_of(std::span<const row_record> records, step_index last_step,
                                     bool is_at_rest) {
    row_standing standing;
    if (!records.empty()) {
        standing.last = &records.back();
        const bool is_between =
            standing.last->state == row_state::completed && standing.last->step < last_step;
        standing.state = is_between ? row_state::pending : standing.last->state;
    }
    const bool has_begun = standing.last != nullptr && standing.last->step != validation_step;
    standing.is_unprocessed =
        is_at_rest ? !is_final(standing.state) : !has_begun && standing.state == row_state::pending;
    return standing;
}

BULK_INLINE std::string_view tracked_data(std::span<const row_record> records) {
    for (std::size_t i = records.size(); i > 0; --i)
        if (!records[i - 1].row_data.empty()) return records[i - 1].row_data;
    return {};
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
