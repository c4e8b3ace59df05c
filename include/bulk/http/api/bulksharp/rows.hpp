// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/ids.hpp>
#include <bulk/http/api/bulksharp/paging.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/shapes.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api::bulksharp {

// Rows and errors as BulkSharp lists them.

/// Routes with an id are found by GUIDs only: see `application`.
[[nodiscard]] inline operation_id bulk_id(const call& asked) {
    return parse_guid(asked.path("id")).value_or(operation_id{});
}

/// None when there is no such operation; a storage that does not answer is a problem.
[[nodiscard]] inline or_problem<std::optional<operation_record>> find_bulk(call& asked) {
    auto found = asked.service().get(bulk_id(asked));
    if (found) return std::move(*found);
    if (found.error().code == errc::not_found) return std::nullopt;
    return std::unexpected{problem_of(std::move(found).error())};
}

/// Which failures a name means. BulkSharp has one for everything that is wrong in the file, and exactly
/// that fails at the validation of a row.
struct failure_filter {
    bool is_file_fault = false;
    bool is_none = false;  ///< no row has it
    std::optional<error_type> failure{};

    /// A name that it does not have is passed over.
    [[nodiscard]] static failure_filter of(std::string_view name) {
        if (same_name(name, "None")) return {.is_none = true};
        if (same_name(name, "Parse")) return {};
        const auto failure = from_pascal_case<error_type>(name);
        if (failure == error_type::validation) return {.is_file_fault = true};
        return {.failure = failure};
    }
};

/// The rows of some failures, as their validation has kept them; empty if the operation tracks none.
[[nodiscard]] inline or_problem<std::map<row_number, std::string>> row_data_of(
    bulk::service& service, const operation_record& of, const std::vector<row_record>& failures) {
    std::map<row_number, std::string> data;
    const row_reader reader{service, of};
    if (reader.about() == nullptr || !reader.about()->track_row_data) return data;
    std::vector<row_number> rows;
    for (const auto& each : failures)
        if (each.row_data.empty()) rows.push_back(each.row);
    const auto records = reader.records(std::move(rows));
    if (!records) return std::unexpected{records.error()};
    row_reader::for_each_row(*records, [&](std::span<const row_record> each) {
        data.emplace(each.front().row, tracked_data(each));
    });
    return data;
}

[[nodiscard]] inline reply get_errors(call& asked) {
    const auto wanted = page_request::of(asked, 20);
    if (!wanted) return std::unexpected{wanted.error()};
    const auto row = number_parameter<std::int32_t>(asked, "rowNumber");
    if (!row) return std::unexpected{row.error()};
    const auto descending = truth_parameter(asked, "sortDescending", false);
    if (!descending) return std::unexpected{descending.error()};
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    const auto failures = failure_filter::of(asked.text("errorType"));
    if (!*found || failures.is_none || row->value_or(1) < 1)
        return wanted->empty<bodies::row_error>();
    const operation_record& of = **found;
    row_query query{.operation = of.id,
                    .row_id_contains = asked.text("rowId"),
                    .failure = failures.failure,
                    .errors_only = true,
                    .descending = *descending};
    if (failures.is_file_fault) query.step = validation_step;
    if (*row) query.rows = {row_number{static_cast<std::uint64_t>(**row)}};
    const auto sort = asked.text("sortBy");
    query.sort = same_name(sort, "errorType")   ? row_sort::failure
                 : same_name(sort, "stepName")  ? row_sort::step
                 : same_name(sort, "createdAt") ? row_sort::started_at
                 : same_name(sort, "rowId")     ? row_sort::row_id
                 : same_name(sort, "state")     ? row_sort::state
                                                : row_sort::row;
    const auto errors = numbered_page<row_record>(
        *wanted, query, [&](const row_query& each) { return asked.service().query(each); });
    if (!errors) return std::unexpected{errors.error()};
    const auto data = row_data_of(asked.service(), of, errors->items);
    if (!data) return std::unexpected{data.error()};
    std::vector<bodies::row_error> items;
    for (const auto& each : errors->items) {
        const auto kept = data->find(each.row);
        const bool is_own = !each.row_data.empty() || kept == data->end();
        items.push_back(row_error_body(each, of, is_own ? each.row_data : kept->second));
    }
    return wanted->answer(std::move(items), errors->total);
}

/// Rows that stand in a state that no record tells of: see `get_rows`. All of them are looked at, since
/// their number is wanted.
[[nodiscard]] inline or_problem<page<row_number>> rows_in_state(bulk::service& service,
                                                                const row_reader& reader,
                                                                row_query query,
                                                                const page_request& wanted) {
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
                  concat("more than ", most_pages * largest_page,
                         " rows cannot be filtered by this state here; /api/v1 has cursors"),
                  "state");
}

[[nodiscard]] inline reply get_rows(call& asked) {
    const auto wanted = page_request::of(asked, 100);
    if (!wanted) return std::unexpected{wanted.error()};
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return wanted->empty<bodies::row_progress>();
    const row_reader reader{asked.service(), **found};
    row_query query{.operation = (*found)->id,
                    .row_id_contains = asked.text("rowId"),
                    .state = from_pascal_case<row_state>(asked.text("state"))};
    const auto step = find_step_of(reader.about(), asked.text("stepName"));
    if (!step)
        return wanted
            ->empty<bodies::row_progress>();  // no row has been at a step that there is not
    query.step = *step;
    const bool is_of_row = query.state == row_state::pending || query.state == row_state::completed;
    auto numbers = is_of_row
                       ? rows_in_state(asked.service(), reader, query, *wanted)
                       : numbered_page<row_number>(*wanted, query, [&](const row_query& each) {
                             return asked.service().row_numbers(each);
                         });
    if (!numbers) return std::unexpected{std::move(numbers).error()};
    const auto records = reader.records(std::move(numbers->items));
    if (!records) return std::unexpected{records.error()};
    std::vector<bodies::row_progress> rows;
    row_reader::for_each_row(*records, [&](std::span<const row_record> each) {
        rows.push_back(row_progress_body(each, reader.standing(each), reader.about()));
    });
    return wanted->answer(std::move(rows), numbers->total);
}

}  // namespace bulk::http::api::bulksharp
