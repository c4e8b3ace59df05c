// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/signals.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <expected>
#include <optional>
#include <string>
#include <utility>

namespace bulk::http::api::bulksharp {

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
    return answer(bodies::signal_response{
        .row_number = {receipt->row ? to_number(*receipt->row) : 0},
        .step = receipt->step ? step_text(about, *receipt->step) : std::string{},
        .completed = !is_failure,
        .failed = is_failure,
        .error = sent.failure,
        .cross_process = !receipt->is_here});
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

}  // namespace bulk::http::api::bulksharp
