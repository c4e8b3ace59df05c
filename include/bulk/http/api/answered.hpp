// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/message.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace bulk::http::api {

/// What takes no time, however much is stored: it reads nothing, or one record by its key. Whoever watches
/// a program asks for these, and they wait behind no query.
inline constexpr auto answered_at_once = std::to_array<std::string_view>({
    "getHealth",          "getReadiness",
    "getMetrics",         "getIndex",
    "getOpenApi",         "getWorkers",
    "getOperationTypes",  "getOperationType",
    "getTemplate",        "getOperation",
    "getStatus",          "streamEvents",
    "getFeeds",           "getFeed",
    "getWatermark",       "getRun",
    "olderGetOperations", "olderGetOperationTemplate",
    "olderGetBulk",       "olderGetBulkStatus",
    "olderGetOpenApi",
});

/// What is answered with a file.
inline constexpr auto answered_by_stream = std::to_array<std::string_view>({
    "getFile",
    "exportRows",
    "olderGetBulkFile",
    "olderExportBulk",
});

namespace detail {

[[nodiscard]] constexpr bool has_route(std::string_view id) {
    return std::ranges::find(all_routes, id, &route::id) != all_routes.end();
}

}  // namespace detail

static_assert(std::ranges::all_of(answered_at_once, detail::has_route) &&
                  std::ranges::all_of(answered_by_stream, detail::has_route),
              "there is no route of that id");

[[nodiscard]] constexpr answer_kind answer_kind_of(const route& on) {
    const auto is_in = [&](const auto& list) {
        return std::ranges::find(list, on.id) != list.end();
    };
    // A plan asks the source of the feed, which takes as long as it takes.
    if (on.needs == right::operate || on.id == "planRun") return answer_kind::command;
    if (is_in(answered_at_once)) return answer_kind::at_once;
    return is_in(answered_by_stream) ? answer_kind::stream : answer_kind::query;
}

/// What to do about a query that took too long: the parameters that make it smaller.
[[nodiscard]] inline std::string how_to_narrow(const route& on) {
    std::string names;
    bool can_skip_total = false;
    for (const auto& each : on.parameters) {
        if (each.in != place::query || each.name == "after" || each.name == "order") continue;
        if (each.name == "total")
            can_skip_total = true;
        else
            names += (names.empty() ? "" : ", ") + std::string{each.name};
    }
    if (names.empty()) return "try again later, or export the rows instead";
    return "narrow it (" + names + ")" +
           (can_skip_total ? ", or leave the count out with total=false" : "");
}

}  // namespace bulk::http::api
