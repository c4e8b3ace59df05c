// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/limits.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/bulksharp/intake.hpp>
#include <bulk/http/api/bulksharp/paging.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/refusals.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/shapes.hpp>
#include <bulk/http/api/bulksharp/texts.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/api/handlers/files.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/handlers/signals.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api::bulksharp {

// BulkSharp's routes on our service, with its status codes. Where it answers without a body, so do we.

[[nodiscard]] inline reply get_operations(call& asked) {
    return json_response(200,
                         json_list(asked.service().operations().all(), operation_type_json).json());
}

[[nodiscard]] inline reply get_template(call& asked) {
    const auto about = asked.service().operations().find(asked.path("name"));
    if (!about) return text_refusal(404, concat("Operation '", asked.path("name"), "' not found"));
    auto text = http::asked(asked.service().template_for((*about)->name, export_format::csv));
    if (!text) return std::unexpected{std::move(text).error()};
    response said{.body = std::move(*text)};
    said.headers.add("Content-Type", "text/csv");
    said.headers.add("Content-Disposition", attachment(concat((*about)->name, "-template.csv")));
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
    if (*from && *to && **from > **to) return wanted->empty();
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
    const auto items = json_list(found->items, [&](const operation_record& each) {
        return operation_json(each, shown_metadata(each, asked.service()));
    });
    return wanted->answer(items, found->total);
}

[[nodiscard]] inline reply get_bulk(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return not_found();
    const auto& of = **found;
    return json_response(200, operation_json(of, shown_metadata(of, asked.service())).json());
}

[[nodiscard]] inline reply get_status(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return not_found();
    return json_response(200, status_json(**found).json());
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

/// Only a row that waits gets a signal here: one that comes too early is refused, and not kept.
[[nodiscard]] inline reply send_signal(call& asked, std::optional<std::string> failure) {
    const operation_id id = bulk_id(asked);
    bulk::signal sent{
        .operation = id, .key = std::string{asked.path("key")}, .failure = std::move(failure)};
    if (auto full = parse_signal_key(sent.key); full && full->operation == id) {
        sent.key = std::move(full->key);
        sent.row = full->row;
    }
    const auto receipt = asked.service().signal_waiting(sent);
    if (!receipt && kind_of(receipt.error().code).status >= 500)
        return std::unexpected{problem_of(receipt.error())};
    if (!receipt)
        return refuse(problems::not_found,
                      concat("No waiting step found for signal key '", asked.path("key"), '\''));
    const bool is_failure = sent.failure.has_value();
    note_signal(asked, id, asked.path("key"), *receipt, is_failure);
    const auto of = asked.service().get(id);
    const auto* about = of ? description_of(asked.service(), of->name) : nullptr;
    object shape;
    shape.number("rowNumber", receipt->row ? to_number(*receipt->row) : 0)
        .text("step", receipt->step ? step_text(about, *receipt->step) : std::string{})
        .truth("completed", !is_failure)
        .truth("failed", is_failure);
    if (is_failure) shape.text("error", *sent.failure);
    return json_response(200, shape.truth("crossProcess", !receipt->is_here).json());
}
[[nodiscard]] inline reply signal_step(call& asked) { return send_signal(asked, std::nullopt); }
[[nodiscard]] inline reply fail_step(call& asked) {
    if (is_blank(asked.asked.body))
        return refuse(problems::invalid_argument, "a JSON body with errorMessage is required");
    const auto body = json_body::read_loosely(asked.asked.body, {"errorMessage"});
    if (!body) return std::unexpected{body.error()};
    auto why = body->text("errorMessage");
    if (!why) return std::unexpected{std::move(why).error()};
    return send_signal(asked, cut_message(why->value_or("")));
}

/// Whether the operation can be retried, in its words if it cannot.
[[nodiscard]] inline or_problem<retry_eligibility> eligibility_of(call& asked) {
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    auto said = http::asked(asked.service().can_retry(bulk_id(asked)));
    if (said && *found) said->reason = retry_reason(*said, (*found)->state);
    return said;
}

/// Why a retry was refused. What is wrong in the request itself has our words: it refuses no such request.
[[nodiscard]] inline problem retry_problem(call& asked, error why) {
    if (why.code == errc::illegal_transition || why.code == errc::not_found) {
        const auto can = eligibility_of(asked);
        if (can && !can->is_eligible)
            return {problems::invalid_argument, concat("Cannot retry operation: ", can->reason)};
    }
    return client_problem(problem_of(std::move(why)));
}

[[nodiscard]] inline reply retry_with(call& asked, const retry_filter& filter) {
    const operation_id id = bulk_id(asked);
    auto answer = asked.service().retry(id, filter, asked.who.name);
    if (!answer) return std::unexpected{retry_problem(asked, std::move(answer).error())};
    object shape;
    shape.text("operationId", to_text(id))
        .count("rowsSubmitted", answer->submitted + answer->resumed)
        .count("rowsSkipped", answer->skipped);
    if (!answer->reasons.empty())
        shape.raw("skippedReasons",
                  json_list(answer->reasons, [](std::string_view each) { return each; }).json());
    return json_response(200, shape.json());
}
[[nodiscard]] inline reply retry_bulk(call& asked) { return retry_with(asked, {}); }
[[nodiscard]] inline reply retry_bulk_rows(call& asked) {
    if (is_blank(asked.asked.body))
        return refuse(problems::invalid_argument, "a JSON body with rowNumbers is required");
    const auto body = json_body::read_loosely(asked.asked.body, {"rowNumbers"});
    if (!body) return std::unexpected{body.error()};
    const auto rows = body->numbers<std::uint64_t>("rowNumbers");
    if (!rows) return std::unexpected{rows.error()};
    retry_filter filter;
    filter.rows.emplace();
    if (*rows)
        for (const auto each : **rows) filter.rows->push_back(row_number{each});
    return retry_with(asked, filter);
}

[[nodiscard]] inline reply get_eligibility(call& asked) {
    const auto said = eligibility_of(asked);
    if (!said) return std::unexpected{said.error()};
    return json_response(
        200,
        object{}.truth("isEligible", said->is_eligible).text_if("reason", said->reason).json());
}

[[nodiscard]] inline reply get_history(call& asked) {
    const auto wanted = page_request::of(asked, 100);
    if (!wanted) return std::unexpected{wanted.error()};
    const auto row = number_parameter<std::int32_t>(asked, "rowNumber");
    if (!row) return std::unexpected{row.error()};
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found || row->value_or(1) < 1) return wanted->empty();
    retry_history_query query{.operation = (*found)->id};
    if (*row) query.row = row_number{static_cast<std::uint64_t>(**row)};
    const auto entries = numbered_page<retry_entry>(
        *wanted, query,
        [&](const retry_history_query& each) { return asked.service().retry_history(each); });
    if (!entries) return std::unexpected{entries.error()};
    const auto items = json_list(
        entries->items, [&](const retry_entry& each) { return retry_json(each, **found); });
    return wanted->answer(items, entries->total);
}

/// Events of operations: without `since` the newest, else the next. Those of a feed's runs are left
/// out, since BulkSharp has no feeds; whoever reads on is never left standing in front of them.
[[nodiscard]] inline or_problem<std::vector<event>> events_since(call& asked,
                                                                 std::optional<operation_id> of,
                                                                 std::optional<std::uint64_t> since,
                                                                 std::size_t limit) {
    std::vector<event> all;
    while (true) {
        auto some = read_events(asked, of, since, largest_page);
        if (!some) return std::unexpected{std::move(some).error()};
        for (auto& each : *some) {
            if (since) since = each.sequence;
            if (!is_of_run(each.kind)) all.push_back(std::move(each));
            if (since && all.size() == limit) return all;
        }
        if (!since || some->size() < largest_page) break;
    }
    if (all.size() > limit) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(limit));
    return all;
}

[[nodiscard]] inline reply events_response(call& asked, std::optional<operation_id> of) {
    const auto since = number_parameter<std::int64_t>(asked, "since");
    if (!since) return std::unexpected{since.error()};
    const auto limit = number_parameter<std::int32_t>(asked, "limit");
    if (!limit) return std::unexpected{limit.error()};
    std::optional<std::uint64_t> after;
    if (*since) after = static_cast<std::uint64_t>(std::max<std::int64_t>(**since, 0));
    const auto found = events_since(
        asked, of, after, static_cast<std::size_t>(std::clamp(limit->value_or(100), 1, 500)));
    if (!found) return std::unexpected{found.error()};
    return json_response(200, json_list(*found, event_json).json());
}
[[nodiscard]] inline reply get_events(call& asked) { return events_response(asked, std::nullopt); }
[[nodiscard]] inline reply get_bulk_events(call& asked) {
    return events_response(asked, bulk_id(asked));
}

[[nodiscard]] inline reply get_open_api(call& asked) {
    return json_response(200, asked.to.bulksharp_openapi);
}

}  // namespace bulk::http::api::bulksharp
