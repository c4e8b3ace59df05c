// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/signal.hpp>
#include <bulk/http/api/bodies/retry.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

/// Stored after the signal, which has a transaction of its own: the signal counts, whether or not its
/// sender can still be noted.
inline void note_signal(call& asked, operation_id id, std::string_view key,
                        const signal_receipt& receipt, bool is_failure) {
    const std::string row =
        receipt.row ? concat(" to row ", to_number(*receipt.row)) : std::string{", kept,"};
    (void)asked.service().note(id, concat(is_failure ? "Failure" : "Signal", " '", key, '\'', row),
                               asked.who.name);
}

/// A body of `signal_request`, for an operation.
[[nodiscard]] inline or_problem<bulk::signal> read_signal(const call& asked, operation_id id) {
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
    bulk::signal sent{.operation = id, .key = std::move(**key), .failure = std::move(*failure)};
    if (*row) sent.row = row_number{**row};
    return sent;
}

[[nodiscard]] inline reply post_signal(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    const auto sent = read_signal(asked, found->id);
    if (!sent) return std::unexpected{sent.error()};
    const auto receipt = http::asked(asked.service().signal(*sent), "key");
    if (!receipt) return std::unexpected{receipt.error()};
    note_signal(asked, found->id, sent->key, *receipt, sent->failure.has_value());
    const auto* about = description_of(asked.service(), found->name);
    bodies::signal_receipt body{.is_kept = receipt->is_kept};
    if (receipt->row) body.row = to_number(*receipt->row);
    if (receipt->step) {
        body.step = bodies::given(step_text(about, *receipt->step));
        body.step_index = to_number(*receipt->step);
    }
    return json_response(202, body);
}

}  // namespace bulk::http::api
