// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/retry.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/service/error_groups.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace bulk::http::api {

[[nodiscard]] inline or_problem<retry_filter> read_retry_filter(
    call& asked, operation_id id, const operation_description* about) {
    const auto body = json_body::read(asked.asked.body, {"rows", "step", "failure", "group"});
    if (!body) return std::unexpected{body.error()};
    retry_filter filter;
    const auto rows = body->numbers<std::uint64_t>("rows");
    if (!rows) return std::unexpected{rows.error()};
    if (*rows) {
        filter.rows.emplace();
        for (const auto each : **rows) filter.rows->push_back(row_number{each});
    }
    const auto step = body->text("step"), failure = body->text("failure");
    if (!step) return std::unexpected{step.error()};
    if (!failure) return std::unexpected{failure.error()};
    auto index = find_step_of(about, step->value_or(""));
    if (!index) return std::unexpected{std::move(index).error()};
    filter.step = *index;
    if (*failure) {
        auto kind = read_choice<error_type>(**failure, "failure");
        if (!kind) return std::unexpected{std::move(kind).error()};
        filter.failure = *kind;
    }
    const auto group = body->text("group");
    if (!group) return std::unexpected{group.error()};
    if (!*group) return filter;
    if (filter.rows)
        return refuse(problems::invalid_argument, "say which rows, or which group, and not both",
                      "group");
    auto said = asked.service().rows_of_group(id, filter, **group);
    if (!said) {
        const bool is_group = said.error().code == errc::invalid_argument;
        return std::unexpected{problem_of(std::move(said).error(), is_group ? "group" : "")};
    }
    filter.rows = std::move(*said);
    return filter;
}

[[nodiscard]] inline reply retry_operation(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto filter =
        read_retry_filter(asked, found->id, description_of(asked.service(), found->name));
    if (!filter) return std::unexpected{filter.error()};
    const auto answer =
        http::asked(asked.service().retry(found->id, *filter, asked.who.name), "rows");
    if (!answer) return std::unexpected{answer.error()};
    return json_response(202, bodies::retry_answer{.submitted = answer->submitted,
                                                   .skipped = answer->skipped,
                                                   .resumed = answer->resumed,
                                                   .reasons = answer->reasons});
}

[[nodiscard]] inline reply get_retry_eligibility(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto said = http::asked(asked.service().can_retry(found->id));
    if (!said) return std::unexpected{said.error()};
    return json_response(200,
                         bodies::retry_eligibility{said->is_eligible, bodies::given(said->reason)});
}

[[nodiscard]] inline reply get_retry_history(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    const auto* about = description_of(asked.service(), found->name);
    retry_history_query query{
        .operation = found->id, .page_size = page->size, .after = page->after};
    if (auto read = asked.read("row", query.row); !read)
        return std::unexpected{std::move(read).error()};
    auto step = find_step_of(about, asked.text("step"));
    if (!step) return std::unexpected{std::move(step).error()};
    query.step = *step;
    const auto entries = page->asked(asked.service().retry_history(query));
    if (!entries) return std::unexpected{entries.error()};
    return list_response(
        bodies_of(entries->items,
                  [&](const retry_entry& each) { return retry_entry_body(each, about); }),
        page->next(entries->next), entries->total);
}

}  // namespace bulk::http::api
