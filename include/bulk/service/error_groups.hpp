// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/concepts.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace bulk {

/// The errors of an operation by what they say, however many there are.
template <storage Storage>
[[nodiscard]] result<std::vector<error_group>> error_groups_of(
    Storage& storage, operation_id operation, std::size_t limit = error_grouping::default_limit) {
    error_grouping grouping{limit};
    row_query query{.operation = operation,
                    .errors_only = true,
                    .page_size = largest_page,
                    .with_total = false};
    do {
        auto page = storage.query(query);
        if (!page) return std::unexpected{std::move(page).error()};
        for (const auto& record : page->items) grouping.add(record);
        query.after = std::move(page->next);
    } while (!query.after.empty());
    return grouping.groups();
}

}  // namespace bulk
