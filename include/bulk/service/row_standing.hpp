// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/row_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

class any_storage;

/// Where a row is on its way through its operation.
struct row_standing {
    const row_record* last = nullptr;  ///< the record that decides; none: there is none yet
    row_state state = row_state::pending;
    bool is_unprocessed = false;

    [[nodiscard]] bool has_succeeded() const { return state == row_state::completed; }
    [[nodiscard]] bool has_failed() const { return is_failed(state); }
};

/// From a row's records in the order of their steps.
[[nodiscard]] row_standing standing_of(std::span<const row_record> records, step_index last_step,
                                       bool is_at_rest);

/// The row as JSON, if one of its records has it: the latest that does.
[[nodiscard]] std::string_view tracked_data(std::span<const row_record> records);

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
    [[nodiscard]] result<std::span<const row_record>> of(row_number row);

    /// The last row that there is a record of; 0 when there is none.
    [[nodiscard]] result<row_number> last_row();

private:
    [[nodiscard]] result<> load(row_number first);

    any_storage& storage_;
    operation_id operation_;
    std::uint64_t rows_at_once_;
    std::vector<row_number> only_;
    std::vector<row_record> records_;
    std::size_t at_ = 0;
    row_number loaded_to_{};
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/service/row_standing_implementation.hpp>
#endif
