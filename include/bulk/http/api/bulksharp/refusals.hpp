// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/bulksharp/bodies.hpp>
#include <bulk/http/api/bulksharp/style.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>

#include <string_view>

namespace bulk::http::api::bulksharp {

// How BulkSharp refuses: without a body, with a text, or with an object that has `error`.

[[nodiscard]] inline response not_found() { return {.status = 404}; }

/// What cannot be done is a wrong request there; what fails on our side stays what it is.
[[nodiscard]] inline problem client_problem(problem why) {
    if (why.kind.status < 500) why.kind = problems::invalid_argument;
    return why;
}

/// A refusal that is a text, and nothing else.
[[nodiscard]] inline response text_refusal(int status, std::string_view why) {
    return json_response(status, json_of(why));
}
[[nodiscard]] inline reply text_refusal(const problem& why) {
    const int status = why.kind.status;
    if (status >= 500) return std::unexpected{why};  // not the client's fault: for the log
    const bool is_metadata = status == 413 && why.field == "metadata";
    // What is too large, or of another type, is a wrong request there.
    return text_refusal(
        status == 413 || status == 415 || status == 404 ? 400 : status,
        is_metadata ? "Metadata JSON must not exceed 1 MB" : std::string_view{why.detail});
}

/// A refusal as an object.
[[nodiscard]] inline response object_refusal(const problem& why) {
    response said{.status = why.kind.status,
                  .headers = why.headers,
                  .body = json_of<style>(bodies::refusal{why.detail})};
    said.headers.set("Content-Type", "application/json");
    return said;
}

}  // namespace bulk::http::api::bulksharp
