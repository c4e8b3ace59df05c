// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Where a row is on its way through its operation.
struct row_standing {
    const row_record* last = nullptr;  ///< the record that decides; none: there is none yet
    row_state state = row_state::pending;
    bool is_unprocessed = false;

    [[nodiscard]] bool has_succeeded() const { return state == row_state::completed; }
    [[nodiscard]] bool has_failed() const {
        return state == row_state::failed || state == row_state::timed_out;
    }
};

/// From a row's records in the order of their steps.
[[nodiscard]] inline row_standing standing_of(std::span<const row_record> records,
                                              step_index last_step, bool is_at_rest) {
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

/// The row as JSON, if one of its records has it: the latest that does.
[[nodiscard]] inline std::string_view tracked_data(std::span<const row_record> records) {
    for (std::size_t i = records.size(); i > 0; --i)
        if (!records[i - 1].row_data.empty()) return records[i - 1].row_data;
    return {};
}

/// The records of one row after the other, read from the storage a few hundred rows at a time.
class row_histories {
public:
    /// `only` is sorted; empty means all rows.
    row_histories(any_storage& storage, operation_id operation, std::size_t steps,
                  std::vector<row_number> only)
        : storage_{storage},
          operation_{operation},
          rows_at_once_{std::max<std::uint64_t>(1, largest_page / (steps + 1))},
          only_{std::move(only)} {}

    /// In the order of steps; gone with the next call. Rows are asked for in ascending order.
    [[nodiscard]] result<std::span<const row_record>> of(row_number row) {
        if (row > loaded_to_)
            if (auto loaded = load(row); !loaded) return std::unexpected{std::move(loaded).error()};
        while (at_ < records_.size() && records_[at_].row < row) ++at_;
        std::size_t end = at_;
        while (end < records_.size() && records_[end].row == row) ++end;
        return std::span{records_}.subspan(at_, end - at_);
    }

    /// The last row that there is a record of; 0 when there is none.
    [[nodiscard]] result<row_number> last_row() {
        auto last = storage_.query(row_query{
            .operation = operation_, .descending = true, .page_size = 1, .with_total = false});
        if (!last) return std::unexpected{std::move(last).error()};
        return last->items.empty() ? row_number{} : last->items.front().row;
    }

private:
    [[nodiscard]] result<> load(row_number first) {
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

    any_storage& storage_;
    operation_id operation_;
    std::uint64_t rows_at_once_;
    std::vector<row_number> only_;
    std::vector<row_record> records_;
    std::size_t at_ = 0;
    row_number loaded_to_{};
};

}  // namespace bulk
