// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_query.hpp>
#include <bulk/feed/any_feed.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/http/api/bodies/feed.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/run_shapes.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk::http::api {

[[nodiscard]] inline or_problem<any_feed*> find_feed_of(call& asked) {
    return http::asked(find_feed(asked.feeds().feeds(), asked.path("name")), "name");
}

[[nodiscard]] inline or_problem<bodies::feed> feed_body(bulk::feed_service& service,
                                                        const any_feed& feed) {
    const auto& said = feed.options();
    const std::string name{said.name};
    const auto mark = http::asked(service.watermark_of(name));
    if (!mark) return std::unexpected{mark.error()};
    const auto newest = http::asked(service.query(run_query{.feed = name, .page_size = 1}));
    if (!newest) return std::unexpected{newest.error()};
    bodies::feed body{.name = name,
                      .description = std::string{said.description},
                      .position_type = std::string{feed.position_type()},
                      .page_size = said.page_size,
                      .max_workers = said.max_workers,
                      .watermark = watermark_body(*mark)};
    if (!newest->items.empty()) body.newest_run = run_body(newest->items.front(), service);
    return body;
}

[[nodiscard]] inline reply get_feeds(call& asked) {
    std::vector<bodies::feed> feeds;
    for (const auto& each : asked.feeds().feeds()) {
        auto shape = feed_body(asked.feeds(), *each);
        if (!shape) return std::unexpected{std::move(shape).error()};
        feeds.push_back(std::move(*shape));
    }
    return list_response(std::move(feeds));
}

[[nodiscard]] inline reply get_feed(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    auto shape = feed_body(asked.feeds(), **feed);
    if (!shape) return std::unexpected{std::move(shape).error()};
    return json_response(200, *shape);
}

[[nodiscard]] inline reply plan_run(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    start_options options;
    if (auto read = all_of(
            {asked.read("type", options.type), asked.read("max_records", options.max_records)});
        !read)
        return std::unexpected{std::move(read).error()};
    const auto plan = http::asked(asked.feeds().plan((*feed)->options().name, options));
    if (!plan) return std::unexpected{plan.error()};
    bodies::plan body{.feed = plan->feed,
                      .type = plan->outline.type,
                      .window = {plan->outline.window.from, plan->outline.window.to},
                      .watermark = plan->watermark,
                      .extent = text_range_body(plan->extent, **feed),
                      .is_capped = plan->is_capped};
    for (std::uint32_t number = 0; const auto& each : plan->partitions) {
        body.estimated += each.estimated;
        body.partitions.push_back(
            {partition_name(number++), text_range_body(each.range, **feed), each.estimated});
    }
    return json_response(200, body);
}

[[nodiscard]] inline reply get_watermark(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    const auto mark = http::asked(asked.feeds().watermark_of((*feed)->options().name));
    if (!mark) return std::unexpected{mark.error()};
    return json_response(200, watermark_body(*mark));
}

[[nodiscard]] inline reply set_watermark(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    const auto body = json_body::read(asked.asked.body, {"value"});
    if (!body) return std::unexpected{body.error()};
    if (!body->has("value"))
        return refuse(problems::invalid_argument, "say up to when, or null for a full run: `value`",
                      "value");
    const auto text = body->text("value");
    if (!text) return std::unexpected{text.error()};
    std::optional<timestamp> value;
    if (*text) {
        auto moment = read_moment(**text, "value");
        if (!moment) return std::unexpected{std::move(moment).error()};
        value = *moment;
    }
    const auto mark = http::asked(
        asked.feeds().set_watermark((*feed)->options().name, value, asked.who.name), "value");
    if (!mark) return std::unexpected{mark.error()};
    return json_response(200, watermark_body(*mark));
}

[[nodiscard]] inline reply get_items(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    const std::string name{(*feed)->options().name};
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    item_query query{.feed = name,
                     .from_key = asked.text("from_key"),
                     .page_size = page->size,
                     .after = page->after};
    std::optional<std::uint64_t> since;
    if (auto read =
            all_of({asked.read("deleted", query.with_deleted), asked.read("changed_since", since)});
        !read)
        return std::unexpected{std::move(read).error()};
    query.changed_since = since.value_or(0);
    if (const auto key = asked.query("key")) {
        const auto item = http::asked(asked.feeds().item(name, std::string{*key}));
        if (!item) return std::unexpected{item.error()};
        std::vector<bodies::item> items;
        if (*item) items.push_back(item_body(**item));
        return list_response(std::move(items));
    }
    const auto found = page->asked(asked.feeds().items(query));
    if (!found) return std::unexpected{found.error()};
    return list_response(bodies_of(found->items, item_body), page->next(found->next), std::nullopt);
}

}  // namespace bulk::http::api
