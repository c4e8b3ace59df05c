// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/older_paging.hpp>
#include <bulk/http/api/older_shapes.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/any_service.hpp>

#include <optional>
#include <span>
#include <utility>

namespace bulk::http::api {

// Rows and errors as BulkSharp lists them.

/// An id that is none is not found there.
[[nodiscard]] inline or_problem<operation_record> older_find(call& asked) {
    const auto id = parse_operation_id(asked.path("id"));
    if (!id) return refuse(problems::not_found, "Operation not found");
    return http::asked(asked.service().get(*id));
}

[[nodiscard]] inline reply older_get_errors(call& asked) {
    const auto wanted = older_page::of(asked, 20);
    const auto found = older_find(asked);
    if (!found) return json_response(200, wanted.json({}, 0));  // as they do
    row_query query{.operation = found->id,
                    .row_id_contains = asked.text("rowId"),
                    .failure = from_pascal_case<error_type>(asked.text("errorType")),
                    .errors_only = true};
    std::optional<row_number> row;
    if (asked.read("rowNumber", row) && row) query.rows = {*row};
    (void)asked.read("sortDescending", query.descending);
    const auto sort = asked.text("sortBy");
    query.sort = same_name(sort, "errorType")  ? row_sort::failure
                 : same_name(sort, "stepName") ? row_sort::step
                 : same_name(sort, "createdAt")
                     ? row_sort::started_at
                     : from_pascal_case<row_sort>(sort).value_or(row_sort::row);
    const auto errors = numbered_page<row_record>(
        wanted, query, [&](const row_query& each) { return asked.service().query(each); });
    if (!errors) return std::unexpected{errors.error()};
    return json_response(200, wanted.json(json_list(errors->items, older_error), errors->total));
}

/// Rows that stand in a state that no record tells of: see `get_rows`. All of them are looked at, since
/// their number is wanted.
[[nodiscard]] inline or_problem<page<row_number>> older_rows_in_state(any_service& service,
                                                                      const row_reader& reader,
                                                                      row_query query,
                                                                      const older_page& wanted) {
    constexpr int most_pages = 100;
    const auto state = *std::exchange(query.state, std::nullopt);
    const auto first = wanted.passed();
    query.page_size = largest_page;
    query.with_total = false;
    page<row_number> found;
    for (int pages = 0; pages < most_pages; ++pages) {
        auto numbers = http::asked(service.row_numbers(query));
        if (!numbers) return std::unexpected{std::move(numbers).error()};
        const auto records = reader.records(std::move(numbers->items));
        if (!records) return std::unexpected{records.error()};
        row_reader::for_each_row(*records, [&](std::span<const row_record> each) {
            if (reader.standing(each).state != state) return;
            if (found.total >= first && found.items.size() < wanted.size)
                found.items.push_back(each.front().row);
            ++found.total;
        });
        query.after = std::move(numbers->next);
        if (query.after.empty()) return found;
    }
    return refuse(problems::invalid_argument,
                  "there are too many rows to be counted: use /api/v1, which has cursors", "state");
}

[[nodiscard]] inline reply older_get_rows(call& asked) {
    const auto wanted = older_page::of(asked, 100);
    const auto found = older_find(asked);
    if (!found) return json_response(200, wanted.json({}, 0));
    const row_reader reader{asked.service(), *found};
    row_query query{.operation = found->id,
                    .row_id_contains = asked.text("rowId"),
                    .state = from_pascal_case<row_state>(asked.text("state"))};
    if (auto step = find_step_of(reader.about(), asked.text("stepName")); step) query.step = *step;
    const bool is_of_row = query.state == row_state::pending || query.state == row_state::completed;
    auto numbers = is_of_row ? older_rows_in_state(asked.service(), reader, query, wanted)
                             : numbered_page<row_number>(wanted, query, [&](const row_query& each) {
                                   return asked.service().row_numbers(each);
                               });
    if (!numbers) return std::unexpected{std::move(numbers).error()};
    const auto records = reader.records(std::move(numbers->items));
    if (!records) return std::unexpected{records.error()};
    json_array rows;
    row_reader::for_each_row(*records, [&](std::span<const row_record> each) {
        rows.add(older_row(each, reader.standing(each), reader.about()));
    });
    return json_response(200, wanted.json(rows, numbers->total));
}

}  // namespace bulk::http::api
