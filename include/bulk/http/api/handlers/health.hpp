// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/query.hpp>
#include <bulk/http/api/bodies/service.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/version.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

[[nodiscard]] inline response health_response(int status, std::string_view said,
                                              std::string_view detail) {
    return json_response(status, bodies::health{std::string{said}, bodies::given(detail)});
}

[[nodiscard]] inline reply get_health(call&) { return health_response(200, "ok", {}); }

/// Whether work can be sent here: the storage answers, and nobody shuts down.
[[nodiscard]] inline reply get_readiness(call& asked) {
    result<> ready;
    if (asked.to.operations != nullptr) {
        ready = asked.service().usable();
        if (ready)
            if (auto found =
                    asked.service().query(operation_query{.page_size = 1, .with_total = false});
                !found)
                ready = std::unexpected{std::move(found).error()};
    } else if (auto found = asked.feeds().query({.page_size = 1}); !found) {
        ready = std::unexpected{std::move(found).error()};
    }
    if (ready && asked.to.feeds != nullptr) ready = asked.feeds().usable();
    if (ready) return health_response(200, "ok", {});
    // Anybody may ask: where records are kept is none of their business.
    auto said =
        health_response(503, "unavailable", "the storage does not answer, or it shuts down");
    said.headers.add("Retry-After", "1");
    return said;
}

[[nodiscard]] inline std::string version_text() {
    return concat(BULK_VERSION_MAJOR, '.', BULK_VERSION_MINOR, '.', BULK_VERSION_PATCH);
}

[[nodiscard]] inline reply get_index(call& asked) {
    json_object links;
    links.add("openapi", "/api/v1/openapi.json");
    if (asked.to.operations != nullptr)
        links.add("overview", "/api/v1/overview")
            .add("operation_types", "/api/v1/operation-types")
            .add("operations", "/api/v1/operations");
    if (asked.to.feeds != nullptr) links.add("feeds", "/api/v1/feeds").add("runs", "/api/v1/runs");
    links.add("workers", "/api/v1/workers");
    links.add("events", "/api/v1/events").add("event_stream", "/api/v1/events/stream");
    const auto& who = asked.who;
    return json_response(200,
                         bodies::index{.name = asked.to.name,
                                       .version = version_text(),
                                       .read_only = !who.may_operate,
                                       .principal = {who.name, who.may_operate, who.may_read_files},
                                       .links = {links.json()}});
}

[[nodiscard]] inline reply get_open_api(call& asked) {
    return json_response(200, asked.to.openapi);
}

}  // namespace bulk::http::api
