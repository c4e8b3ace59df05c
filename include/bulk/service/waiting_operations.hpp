// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <cstdint>

namespace bulk {

/// How many operations nobody has begun, and somebody could begin. Counts to `most`, or little further.
[[nodiscard]] inline result<std::uint64_t> count_waiting_operations(any_storage& storage,
                                                                    std::uint64_t most) {
    operation_query query{
        .state = operation_state::pending, .page_size = largest_page, .with_total = false};
    std::uint64_t count = 0;
    do {
        const auto found = storage.query(query);
        if (!found) return std::unexpected{found.error()};
        count += static_cast<std::uint64_t>(std::ranges::count_if(
            found->items,
            [](const operation_record& each) { return !each.paused && !each.cancel_requested; }));
        query.after = found->next;
    } while (count < most && !query.after.empty());
    return count;
}

}  // namespace bulk
