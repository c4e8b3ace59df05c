// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/api/route.hpp>

#include <string>
#include <string_view>

namespace bulk::http::api::bulksharp {

// What the OpenAPI document of BulkSharp's routes has that ours has not.

/// The id of a route as clients know it: `getBulk`. Among all routes it is `olderGetBulk`.
[[nodiscard]] inline std::string id_of(const route& of) {
    constexpr std::string_view prefix = "older";
    std::string id{of.id.substr(prefix.size())};
    id.front() = lower_case(id.front());
    return id;
}

/// The fields of an upload.
inline constexpr std::string_view form_properties =
    R"({"operationName":{"type":"string"},"metadata":{"type":"string"},"createdBy":{"type":"string"},"notifications":{"type":"string"},"file":{"type":"string","format":"binary"}})";

/// How a route of BulkSharp refuses, apart from what the table has: what is checked before the route is
/// known is a problem document, the rest is as its handler writes it.
template <typename Add>
void add_refusals(const route& of, Add add) {
    const auto refuse_with = [&](int status, std::string_view about) {
        add(status, about, "application/problem+json", "problem");
    };
    const bool is_upload = of.body == body_shape::upload;
    const auto answer_with = [&](int status, std::string_view about) {
        add(status, about, "application/json", is_upload ? "older_refusal|text" : "older_refusal");
    };
    refuse_with(401, "Authentication required");
    refuse_with(403, "Permission denied");
    refuse_with(405, "Method not allowed");
    if (is_upload) answer_with(408, "The body did not arrive in time");
    if (of.body == body_shape::json) refuse_with(408, "The body did not arrive in time");
    if (is_upload) answer_with(409, "Conflict with the current state");
    if (of.id == "olderGetBulkFile") {
        answer_with(409, "The stored file was changed since it was uploaded");
        answer_with(416, "Range not satisfiable");
    }
    if (of.needs == right::operate) refuse_with(412, "If-Match is not supported");
    refuse_with(413, "Content too large");
    refuse_with(414, "URI too long");
    if (of.body == body_shape::json) refuse_with(415, "Unsupported media type");
    refuse_with(421, "Misdirected request");
    refuse_with(429, "Too many wrong tokens");
    refuse_with(431, "Request header fields too large");
    answer_with(500, "Internal error, or damaged records");
    answer_with(503, "Temporarily unavailable");
}

}  // namespace bulk::http::api::bulksharp
