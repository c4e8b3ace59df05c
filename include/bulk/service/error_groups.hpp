// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/storage/any_storage.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// The errors of an operation by what they say, however many there are.
[[nodiscard]] inline result<std::vector<error_group>> error_groups_of(
    any_storage storage, operation_id operation,
    std::size_t limit = error_grouping::default_limit) {
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

/// The failed rows whose error has the pattern of an error group, among those that a filter takes. None is
/// an error: an empty list of rows would retry nothing.
[[nodiscard]] inline result<std::vector<row_number>> rows_of_group(any_storage storage,
                                                                   operation_id operation,
                                                                   const retry_filter& among,
                                                                   std::string_view pattern) {
    row_query query{.operation = operation,
                    .step = among.step,
                    .failure = among.failure,
                    .errors_only = true,
                    .page_size = largest_page,
                    .with_total = false};
    std::vector<row_number> rows;
    do {
        auto page = storage.query(query);
        if (!page) return std::unexpected{std::move(page).error()};
        for (const auto& each : page->items)
            if (error_pattern(each.error_message) == pattern) rows.push_back(each.row);
        query.after = std::move(page->next);
    } while (!query.after.empty());
    if (rows.empty())
        return fail(errc::invalid_argument,
                    "no failed row is of this group any more: pass on `pattern` of an error group");
    return rows;
}

}  // namespace bulk
