// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// The failed rows whose error has the pattern of a group, among those that a filter takes.
[[nodiscard]] inline or_problem<std::vector<row_number>> rows_of_group(any_service& service,
                                                                       operation_id id,
                                                                       const retry_filter& among,
                                                                       std::string_view pattern) {
    row_query query{.operation = id,
                    .step = among.step,
                    .failure = among.failure,
                    .errors_only = true,
                    .page_size = largest_page,
                    .with_total = false};
    std::vector<row_number> rows;
    do {
        auto page = http::asked(service.query(query));
        if (!page) return std::unexpected{std::move(page).error()};
        for (const auto& each : page->items)
            if (error_pattern(each.error_message) == pattern) rows.push_back(each.row);
        query.after = std::move(page->next);
    } while (!query.after.empty());
    if (rows.empty())
        return refuse(
            problems::invalid_argument,
            "no failed row is of this group any more: pass on `pattern` of an error group",
            "group");
    return rows;
}

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
    auto said = rows_of_group(asked.service(), id, filter, **group);
    if (!said) return std::unexpected{std::move(said).error()};
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
    return json_response(
        202,
        json_object{}
            .add("submitted", answer->submitted)
            .add("skipped", answer->skipped)
            .add("resumed", answer->resumed)
            .add("reasons", json_list(answer->reasons, [](std::string_view each) { return each; }))
            .json());
}

[[nodiscard]] inline reply get_retry_eligibility(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto said = http::asked(asked.service().can_retry(found->id));
    if (!said) return std::unexpected{said.error()};
    return json_response(200, json_object{}
                                  .add("is_eligible", said->is_eligible)
                                  .add_text("reason", said->reason)
                                  .json());
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
    return json_response(
        200,
        list_json(json_list(entries->items,
                            [&](const retry_entry& each) { return retry_entry_json(each, about); }),
                  page->next(entries->next), entries->total));
}

/// Completes the step of a row that waits, or fails it.
[[nodiscard]] inline result<signal_receipt> send_signal(any_service& service, operation_id id,
                                                        std::string key,
                                                        std::optional<std::uint64_t> row,
                                                        std::optional<std::string> failure) {
    const auto full = row ? full_signal_key(id, key, row_number{*row}) : std::string{};
    if (row && failure) return service.fail_signal(full, std::move(*failure));
    if (row) return service.signal(full);
    if (failure) return service.fail_signal(id, std::move(key), std::move(*failure));
    return service.signal(id, std::move(key));
}

/// Behind the signal, which has a transaction of its own: what is done is done, whether or not somebody
/// can still write down who did it.
inline void note_signal(call& asked, operation_id id, std::string_view key,
                        const signal_receipt& receipt, bool is_failure) {
    const std::string row =
        receipt.row ? concat(" to row ", to_number(*receipt.row)) : std::string{", kept,"};
    (void)asked.service().note(id, concat(is_failure ? "Failure" : "Signal", " '", key, '\'', row),
                               asked.who.name);
}

[[nodiscard]] inline reply post_signal(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto body = json_body::read(asked.asked.body, {"key", "row", "failure"});
    if (!body) return std::unexpected{body.error()};
    auto key = body->text("key");
    auto failure = body->text("failure");
    const auto row = body->number<std::uint64_t>("row");
    if (!key) return std::unexpected{std::move(key).error()};
    if (!failure) return std::unexpected{std::move(failure).error()};
    if (!row) return std::unexpected{row.error()};
    if (!*key || (*key)->empty())
        return refuse(problems::invalid_argument, "say which key the row waits for", "key");
    if (*failure && (*failure)->empty())
        return refuse(problems::invalid_argument, "say why the row fails", "failure");
    if (*row == std::uint64_t{0})
        return refuse(problems::invalid_argument, "there is no row 0: rows are counted from 1",
                      "row");
    const auto receipt =
        http::asked(send_signal(asked.service(), found->id, **key, *row, *failure), "key");
    if (!receipt) return std::unexpected{receipt.error()};
    note_signal(asked, found->id, **key, *receipt, failure->has_value());
    const auto* about = description_of(asked.service(), found->name);
    json_object shape;
    shape.add("is_kept", receipt->is_kept)
        .add("row", receipt->row ? std::optional{to_number(*receipt->row)} : std::nullopt)
        .add_text("step", receipt->step ? step_text(about, *receipt->step) : std::string{})
        .add("step_index", receipt->step ? std::optional{to_number(*receipt->step)} : std::nullopt);
    return json_response(202, shape.json());
}

}  // namespace bulk::http::api
