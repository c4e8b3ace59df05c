// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/api/handlers/files.hpp>
#include <bulk/http/api/handlers/older_intake.hpp>
#include <bulk/http/api/handlers/older_rows.hpp>
#include <bulk/http/api/handlers/retries.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/older_paging.hpp>
#include <bulk/http/api/older_shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

// BulkSharp's routes on our service. What they pass over in silence, such as a state that is none, is
// passed over here too: their clients rely on it.

[[nodiscard]] inline reply older_get_operations(call& asked) {
    return json_response(200, json_list(asked.service().operations(), older_type).json());
}

[[nodiscard]] inline reply older_get_template(call& asked) {
    const auto about = asked.service().find(asked.path("name"));
    if (!about)
        return refuse(problems::not_found,
                      concat("Operation '", asked.path("name"), "' not found"));
    auto text = http::asked(asked.service().template_for((*about)->name, export_format::csv));
    if (!text) return std::unexpected{std::move(text).error()};
    response said{.body = std::move(*text)};
    said.headers.add("Content-Type", "text/csv");
    said.headers.add("Content-Disposition", attachment(concat((*about)->name, "-template.csv")));
    return said;
}

[[nodiscard]] inline reply older_get_bulks(call& asked) {
    const auto wanted = older_page::of(asked, 20);
    operation_query query{.name_contains = asked.text("operationName"),
                          .created_by_contains = asked.text("createdBy"),
                          .state = from_pascal_case<operation_state>(asked.text("status"))};
    (void)asked.read("fromDate", query.created_from);
    (void)asked.read("toDate", query.created_to);
    (void)asked.read("sortDescending", query.descending);
    const auto sort = asked.text("sortBy");
    query.sort = same_name(sort, "operationName") ? operation_sort::name
                 : same_name(sort, "status")
                     ? operation_sort::state
                     : from_pascal_case<operation_sort>(sort).value_or(operation_sort::created_at);
    const auto found = numbered_page<operation_record>(
        wanted, query, [&](const operation_query& each) { return asked.service().query(each); });
    if (!found) return std::unexpected{found.error()};
    const auto items = json_list(found->items, [&](const operation_record& each) {
        return older_operation(each, shown_metadata(each, asked.service()));
    });
    return json_response(200, wanted.json(items, found->total));
}

[[nodiscard]] inline reply older_get_bulk(call& asked) {
    const auto found = older_find(asked);
    if (!found) return std::unexpected{found.error()};
    return json_response(200,
                         older_operation(*found, shown_metadata(*found, asked.service())).json());
}

[[nodiscard]] inline reply older_get_status(call& asked) {
    const auto found = older_find(asked);
    if (!found) return std::unexpected{found.error()};
    return json_response(200, older_status(*found).json());
}

[[nodiscard]] inline reply older_get_file(call& asked) {
    if (auto found = older_find(asked); !found) return std::unexpected{std::move(found).error()};
    auto said = get_file(asked);
    if (!said && said.error().kind.status == problems::gone.status)
        said.error().kind = problems::not_found;
    return said;
}

[[nodiscard]] inline reply older_export(call& asked) {
    const auto found = older_find(asked);
    if (!found) return refuse(problems::invalid_argument, found.error().detail);
    export_options options{
        .kind = from_pascal_case<export_kind>(asked.text("mode")).value_or(export_kind::report),
        .format =
            from_pascal_case<export_format>(asked.text("format")).value_or(export_format::csv),
        .state = from_pascal_case<row_state>(asked.text("state")),
        .failure = from_pascal_case<error_type>(asked.text("errorType")),
        .step = asked.text("stepName")};
    auto said = export_response(asked, *found, options);
    if (!said) return refuse(problems::invalid_argument, said.error().detail);
    said->headers.set("Content-Disposition",
                      attachment(concat("operation-", to_text(found->id), '-',
                                        name_of(options.kind), '.', name_of(options.format))));
    return said;
}

/// Always 200, whatever there was to cancel.
[[nodiscard]] inline reply older_cancel(call& asked) {
    if (const auto id = parse_operation_id(asked.path("id")))
        (void)asked.service().cancel(*id, asked.who.name);
    return response{.status = 200};
}

[[nodiscard]] inline reply older_send(call& asked, std::optional<std::string> failure) {
    const auto found = older_find(asked);
    if (!found) return std::unexpected{found.error()};
    const bool is_failure = failure.has_value();
    std::string key{asked.path("key")};
    std::optional<std::uint64_t> row;
    if (const auto full = parse_signal_key(key); full && full->operation == found->id) {
        key = full->key;
        row = to_number(*full->row);
    }
    const auto receipt = send_signal(asked.service(), found->id, std::move(key), row, failure);
    if (!receipt) return refuse(problems::not_found, receipt.error().message);
    note_signal(asked, found->id, asked.path("key"), *receipt, is_failure);
    const auto* about = description_of(asked.service(), found->name);
    return json_response(
        200, older_object{}
                 .number("rowNumber", receipt->row ? to_number(*receipt->row) : 0)
                 .text("step", receipt->step ? step_text(about, *receipt->step) : std::string{})
                 .truth("completed", !receipt->is_kept && !is_failure)
                 .truth("failed", !receipt->is_kept && is_failure)
                 .truth("crossProcess", receipt->is_kept)
                 .json());
}
[[nodiscard]] inline reply older_signal(call& asked) { return older_send(asked, std::nullopt); }
[[nodiscard]] inline reply older_fail_signal(call& asked) {
    const auto body = json_body::read_loosely(asked.asked.body, {"errorMessage"});
    if (!body) return std::unexpected{body.error()};
    auto why = body->text("errorMessage");
    if (!why) return std::unexpected{std::move(why).error()};
    return older_send(asked, why->value_or("failed by a signal"));
}

[[nodiscard]] inline reply older_retry_with(call& asked, const retry_filter& filter) {
    const auto found = older_find(asked);
    if (!found) return refuse(problems::invalid_argument, found.error().detail);
    const auto answer = asked.service().retry(found->id, filter, asked.who.name);
    if (!answer) return refuse(problems::invalid_argument, answer.error().message);
    older_object shape;
    shape.text("operationId", to_text(found->id))
        .number("rowsSubmitted", answer->submitted + answer->resumed)
        .number("rowsSkipped", answer->skipped);
    if (!answer->reasons.empty())
        shape.raw("skippedReasons",
                  json_list(answer->reasons, [](std::string_view each) { return each; }).json());
    return json_response(200, shape.json());
}
[[nodiscard]] inline reply older_retry(call& asked) { return older_retry_with(asked, {}); }
[[nodiscard]] inline reply older_retry_rows(call& asked) {
    const auto body = json_body::read_loosely(asked.asked.body, {"rowNumbers"});
    if (!body) return std::unexpected{body.error()};
    const auto rows = body->numbers<std::uint64_t>("rowNumbers");
    if (!rows) return std::unexpected{rows.error()};
    retry_filter filter;
    filter.rows.emplace();
    if (*rows)
        for (const auto each : **rows) filter.rows->push_back(row_number{each});
    return older_retry_with(asked, filter);
}

[[nodiscard]] inline reply older_get_eligibility(call& asked) {
    const auto id = parse_operation_id(asked.path("id"));
    if (!id) return refuse(problems::not_found, "Operation not found");
    const auto said = http::asked(asked.service().can_retry(*id));
    if (!said) return std::unexpected{said.error()};
    return json_response(
        200,
        older_object{}.truth("isEligible", said->is_eligible).text("reason", said->reason).json());
}

[[nodiscard]] inline reply older_get_history(call& asked) {
    const auto wanted = older_page::of(asked, 100);
    const auto found = older_find(asked);
    if (!found) return json_response(200, wanted.json({}, 0));
    retry_history_query query{.operation = found->id};
    (void)asked.read("rowNumber", query.row);
    const auto entries = numbered_page<retry_entry>(
        wanted, query,
        [&](const retry_history_query& each) { return asked.service().retry_history(each); });
    if (!entries) return std::unexpected{entries.error()};
    const auto* about = description_of(asked.service(), found->name);
    return json_response(
        200,
        wanted.json(json_list(entries->items,
                              [&](const retry_entry& each) { return older_entry(each, about); }),
                    entries->total));
}

[[nodiscard]] inline reply older_list_events(call& asked, std::optional<operation_id> of) {
    std::optional<std::uint64_t> after;
    std::optional<timestamp> moment;
    std::optional<std::int64_t> limit;
    if (!asked.read("since", after)) (void)asked.read("since", moment);
    if (!asked.read("limit", limit)) limit = 100;
    const auto most =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit.value_or(100), 1, 500));
    auto found = read_events(asked, of, after, most);
    if (!found) return std::unexpected{std::move(found).error()};
    if (moment) std::erase_if(*found, [&](const event& each) { return each.time < *moment; });
    return json_response(200, json_list(*found, older_event).json());
}
[[nodiscard]] inline reply older_get_events(call& asked) {
    return older_list_events(asked, std::nullopt);
}
[[nodiscard]] inline reply older_get_bulk_events(call& asked) {
    const auto id = parse_operation_id(asked.path("id"));
    if (!id) return refuse(problems::not_found, "Operation not found");
    return older_list_events(asked, *id);
}

[[nodiscard]] inline reply older_get_open_api(call& asked) {
    return json_response(200, asked.to.older_openapi);
}

}  // namespace bulk::http::api
