// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/bulksharp/routes.hpp>
#include <bulk/http/api/feed_routes.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/api/routes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace bulk::http::api {

/// Everything that the API does.
inline constexpr auto all_routes = [] {
    std::array<route, operation_routes.size() + feed_routes.size() + bulksharp::routes.size()>
        all{};
    auto* end = std::ranges::copy(operation_routes, all.begin()).out;
    end = std::ranges::copy(feed_routes, end).out;
    std::ranges::copy(bulksharp::routes, end);
    return all;
}();

/// A program without feeds has none of their routes, and the other way round.
[[nodiscard]] constexpr bool is_served(const route& on, bool has_operations, bool has_feeds) {
    if (on.topic == "feeds" || on.topic == "runs") return has_feeds;
    if (on.topic == "operations" || on.topic == "rows" || on.topic == "operation types" ||
        on.is_bulksharp() || on.id == "getOverview" || on.id == "getOperationEvents")
        return has_operations;
    return true;
}

namespace detail {

consteval bool has_route_without_handler() {
    return std::ranges::any_of(all_routes,
                               [](const route& each) { return each.answer == nullptr; });
}

consteval bool has_twin_routes() {
    for (std::size_t i = 0; i < all_routes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (all_routes[i].id == all_routes[j].id || (all_routes[i].verb == all_routes[j].verb &&
                                                         all_routes[i].path == all_routes[j].path))
                return true;
    return false;
}

/// Nothing is changed by a method that promises to change nothing, or without the right to.
consteval bool has_unsafe_routes() {
    return std::ranges::any_of(all_routes, [](const route& each) {
        return (each.verb == method::get) != (each.needs != right::operate);
    });
}

}  // namespace detail

static_assert(!detail::has_route_without_handler(), "a route has no handler");
static_assert(!detail::has_twin_routes(), "two routes have one id, or one address and method");
static_assert(!detail::has_unsafe_routes(), "GET reads, and everything else needs to operate");

}  // namespace bulk::http::api
