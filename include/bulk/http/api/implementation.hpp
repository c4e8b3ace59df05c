// SPDX-License-Identifier: MIT
#pragma once

// What `make_api` of `bulk_http` is made of.

#include <bulk/core/id.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/application.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/event_hub.hpp>
#include <bulk/http/api/export_pipe.hpp>
#include <bulk/http/api/openapi.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/message.hpp>
#include <bulk/service/service.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bulk::http {

namespace api {

/// The events of one storage, told by whichever service has something to do with it.
[[nodiscard]] inline event_origin events_of(bulk::service* operations, bulk::feed_service* feeds) {
    event_origin from;
    const auto add = [&](auto* service) {
        from.subscribe.push_back([service](event_handler handler) {
            const auto number = service->subscribe(std::move(handler));
            return std::function<void()>{[service, number] { service->unsubscribe(number); }};
        });
    };
    if (operations != nullptr) add(operations);
    if (feeds != nullptr) add(feeds);
    from.read = [operations, feeds](std::optional<operation_id> of,
                                    std::optional<std::uint64_t> after, std::uint32_t limit) {
        if (operations != nullptr) return operations->events(of, after, limit);
        return feeds->events(of ? std::optional{run_id{of->value}} : std::nullopt, after, limit);
    };
    return from;
}

}  // namespace api

[[nodiscard]] inline std::shared_ptr<application> build_api(bulk::service* operations,
                                                            bulk::feed_service* feeds,
                                                            const api_options& options) {
    auto to = std::make_unique<api::backend>();
    to->operations = operations;
    to->feeds = feeds;
    to->events = std::make_shared<api::event_hub>(api::events_of(operations, feeds));
    to->exports = std::make_shared<api::export_writers>();
    to->name = options.name;
    if (to->name.empty())
        to->name = operations != nullptr ? operations->options().service_name : "bulk";
    std::vector<api::route> served;
    for (const auto& each : api::all_routes)
        if (api::is_served(each, operations != nullptr, feeds != nullptr)) served.push_back(each);
    to->openapi = api::openapi_document(served, false, to->name, api::version_text());
    to->bulksharp_openapi = api::openapi_document(served, true, to->name, api::version_text());
    return std::make_shared<api::application>(std::move(to), options);
}

}  // namespace bulk::http
