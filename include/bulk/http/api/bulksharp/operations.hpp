// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/query.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/paging.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/refusals.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/shapes.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/files.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/handlers/types.hpp>
#include <bulk/http/disposition.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/export_options.hpp>

#include <utility>

namespace bulk::http::api::bulksharp {

// BulkSharp's routes on our service, with its status codes. Where it answers without a body, so do we.

[[nodiscard]] inline reply get_operations(call& asked) {
    return answer(bodies_of(asked.service().operations().all(), operation_descriptor_body));
}

[[nodiscard]] inline reply get_template(call& asked) {
    const auto about = asked.service().operations().find(asked.path("name"));
    if (!about) return text_refusal(404, concat("Operation '", asked.path("name"), "' not found"));
    auto said = template_response(asked, **about, export_format::csv);
    if (said) said->headers.set("Content-Type", "text/csv");
    return said;
}

[[nodiscard]] inline reply get_bulks(call& asked) {
    const auto wanted = page_request::of(asked, 20);
    if (!wanted) return std::unexpected{wanted.error()};
    const auto state = choice_parameter<operation_state>(asked, "status");
    if (!state) return std::unexpected{state.error()};
    const auto from = moment_parameter(asked, "fromDate"), to = moment_parameter(asked, "toDate");
    if (!from) return std::unexpected{from.error()};
    if (!to) return std::unexpected{to.error()};
    const auto descending = truth_parameter(asked, "sortDescending", true);
    if (!descending) return std::unexpected{descending.error()};
    if (*from && *to && **from > **to) return wanted->empty<bodies::bulk_operation>();
    const auto sort = asked.text("sortBy");
    const operation_query query{.name_contains = asked.text("operationName"),
                                .created_by_contains = asked.text("createdBy"),
                                .source = asked.text("source"),
                                .state = *state,
                                .created_from = *from,
                                .created_to = *to,
                                .sort = same_name(sort, "operationName") ? operation_sort::name
                                        : same_name(sort, "status")      ? operation_sort::state
                                        : same_name(sort, "totalRows") ? operation_sort::total_rows
                                        : same_name(sort, "processedRows")
                                            ? operation_sort::processed_rows
                                            : operation_sort::created_at,
                                .descending = *descending};
    const auto found = numbered_page<operation_record>(
        *wanted, query, [&](const operation_query& each) { return asked.service().query(each); });
    if (!found) return std::unexpected{found.error()};
    return wanted->answer(bodies_of(found->items,
                                    [&](const operation_record& each) {
                                        return bulk_operation_body(
                                            each, shown_metadata(each, asked.service()));
                                    }),
                          found->total);
}

[[nodiscard]] inline reply get_bulk(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return not_found();
    const auto& of = **found;
    return answer(bulk_operation_body(of, shown_metadata(of, asked.service())));
}

[[nodiscard]] inline reply get_status(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return not_found();
    return answer(bulk_status_body(**found));
}

[[nodiscard]] inline reply get_file(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return not_found();
    auto said = file_response(asked, **found);
    if (!said && said.error().kind.status == problems::gone.status) return not_found();
    return said;
}

[[nodiscard]] inline reply export_bulk(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    const operation_id id = bulk_id(asked);
    if (!*found)
        return refuse(problems::invalid_argument, concat("Operation ", to_text(id), " not found"));
    const bool is_json = same_name(asked.text("format"), "json");
    const auto failures = failure_filter::of(asked.text("errorType"));
    export_options options{
        .kind = from_pascal_case<export_kind>(asked.text("mode")).value_or(export_kind::report),
        .format = is_json ? export_format::json : export_format::csv,
        .spelling = report_spelling::bulksharp,
        .rows = failures.is_file_fault ? export_rows::failed : export_rows::all,
        .state = from_pascal_case<row_state>(asked.text("state")),
        .failure = failures.failure,
        .step = asked.text("stepName")};
    const auto* about = description_of(asked.service(), (*found)->name);
    const auto step = find_step_of(about, options.step);
    const bool is_elsewhere = failures.is_file_fault && step && *step && **step != validation_step;
    if (failures.is_file_fault && options.step.empty()) options.step = "validation";
    if (!step || is_elsewhere || failures.is_none) {  // no row: there is no row 0
        options.step.clear();
        options.only = {row_number{0}};
    }
    auto said = export_response(asked, **found, options);
    if (!said) return std::unexpected{client_problem(std::move(said).error())};
    if (said->headers.get("content-type").starts_with("text/csv"))  // rows of a TSV file stay TSV
        said->headers.set("Content-Type", "text/csv");
    said->headers.set("Content-Disposition",
                      attachment(concat("operation-", to_text(id), '-', name_of(options.kind), '.',
                                        name_of(options.format))));
    return said;
}

/// 200, whatever there was to cancel.
[[nodiscard]] inline reply cancel_bulk(call& asked) {
    const auto done = asked.service().cancel(bulk_id(asked), asked.who.name);
    if (!done && kind_of(done.error().code).status >= 500)
        return std::unexpected{problem_of(done.error())};
    return response{.status = 200};
}

[[nodiscard]] inline reply get_open_api(call& asked) {
    return json_response(200, asked.to.bulksharp_openapi);
}

}  // namespace bulk::http::api::bulksharp
