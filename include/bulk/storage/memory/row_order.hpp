// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/query.hpp>
#include <bulk/storage/memory/row_table.hpp>
#include <bulk/storage/row_order.hpp>

#include <cstdint>
#include <optional>

namespace bulk::memory {

/// Of a record that there is.
[[nodiscard]] inline row_order order_in(const row_table& rows, record_place at, row_sort sort) {
    row_order order{.place = at};
    const kept_record* apart = rows.find(at);
    switch (sort) {
        case row_sort::row:
            break;
        case row_sort::row_id:
            order.text = rows.row_id(at.row());
            break;
        case row_sort::step:
            order.number = to_number(at.step());
            break;
        case row_sort::state:
            order.number =
                static_cast<std::int64_t>(apart != nullptr ? apart->state() : row_state::completed);
            break;
        case row_sort::failure:
            order.number = order_of(apart != nullptr ? apart->failure() : std::nullopt);
            break;
        case row_sort::started_at: {
            const auto* run = apart == nullptr ? rows.steps()[at.slot()].packed(at.row()) : nullptr;
            const auto started = apart != nullptr ? apart->started_at()
                                 : run != nullptr ? std::optional{run->started_at}
                                                  : std::nullopt;
            order.number = order_of(started);
            break;
        }
    }
    return order;
}

}  // namespace bulk::memory
