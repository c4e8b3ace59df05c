// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/paging.hpp>
#include <bulk/http/api/bulksharp/parameters.hpp>
#include <bulk/http/api/bulksharp/refusals.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/shapes.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/bulksharp/texts.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <utility>

namespace bulk::http::api::bulksharp {

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
    auto taken = asked.service().retry(id, filter, asked.who.name);
    if (!taken) return std::unexpected{retry_problem(asked, std::move(taken).error())};
    return answer(bodies::retry_submission{
        .operation_id = id.value,
        .rows_submitted = bodies::int_of(taken->submitted + taken->resumed),
        .rows_skipped = bodies::int_of(taken->skipped),
        .skipped_reasons = taken->reasons.empty() ? std::nullopt : std::optional{taken->reasons}});
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
    return answer(bodies::retry_eligibility{said->is_eligible, bodies::given(said->reason)});
}

[[nodiscard]] inline reply get_history(call& asked) {
    const auto wanted = page_request::of(asked, 100);
    if (!wanted) return std::unexpected{wanted.error()};
    const auto row = number_parameter<std::int32_t>(asked, "rowNumber");
    if (!row) return std::unexpected{row.error()};
    const auto found = find_bulk(asked);
    if (!found) return std::unexpected{found.error()};
    if (!*found || row->value_or(1) < 1) return wanted->empty<bodies::retry_history_entry>();
    retry_history_query query{.operation = (*found)->id};
    if (*row) query.row = row_number{static_cast<std::uint64_t>(**row)};
    const auto entries = numbered_page<retry_entry>(
        *wanted, query,
        [&](const retry_history_query& each) { return asked.service().retry_history(each); });
    if (!entries) return std::unexpected{entries.error()};
    return wanted->answer(
        bodies_of(entries->items,
                  [&](const retry_entry& each) { return retry_history_body(each, **found); }),
        entries->total);
}

}  // namespace bulk::http::api::bulksharp
