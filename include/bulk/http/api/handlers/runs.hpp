// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_query.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/feed/service.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/api/handlers/feeds.hpp>
#include <bulk/http/api/run_shapes.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

[[nodiscard]] inline or_problem<feed_run> find_run(call& asked) {
    const auto id = asked.run();
    if (!id) return std::unexpected{id.error()};
    return http::asked(asked.feeds().get(*id), "id");
}

[[nodiscard]] inline reply start_run(call& asked) {
    const auto feed = find_feed_of(asked);
    if (!feed) return std::unexpected{feed.error()};
    const auto body = json_body::read(asked.asked.body, {"type", "max_records", "trace"});
    if (!body) return std::unexpected{body.error()};
    start_options options{.started_by = asked.who.name};
    const auto type = body->text("type"), trace = body->text("trace");
    const auto most = body->number<std::uint64_t>("max_records");
    if (!type) return std::unexpected{type.error()};
    if (!trace) return std::unexpected{trace.error()};
    if (!most) return std::unexpected{most.error()};
    if (*type) {
        auto read = read_choice<run_type>(**type, "type");
        if (!read) return std::unexpected{std::move(read).error()};
        options.type = *read;
    }
    options.trace = trace->value_or("").substr(0, 200);
    options.max_records = *most;
    const auto started = http::asked(asked.feeds().start((*feed)->options().name, options));
    if (!started) return std::unexpected{started.error()};
    if (!*started) return json_response(200, bodies::no_run{});
    auto said = json_response(202, run_body(**started, asked.feeds()));
    said.headers.add("Location", concat("/api/v1/runs/", to_text((*started)->id)));
    return said;
}

[[nodiscard]] inline reply get_runs(call& asked) {
    const auto page = paging::of(asked, 20);
    if (!page) return std::unexpected{page.error()};
    run_query query{.feed = asked.text("feed"), .page_size = page->size, .after = page->after};
    auto read = all_of({asked.read("state", query.state), asked.read("type", query.type),
                        asked.read("from", query.started_from), asked.read("to", query.started_to),
                        asked.read("active", query.active_only),
                        check_range("from", query.started_from, "to", query.started_to)});
    if (!read) return std::unexpected{std::move(read).error()};
    const auto found = page->asked(asked.feeds().query(query));
    if (!found) return std::unexpected{found.error()};
    return list_response(
        bodies_of(found->items,
                  [&](const feed_run& each) { return run_body(each, asked.feeds()); }),
        page->next(found->next), std::nullopt);
}

[[nodiscard]] inline reply get_run(call& asked) {
    const auto found = find_run(asked);
    if (!found) return std::unexpected{found.error()};
    return json_response(200, run_body(*found, asked.feeds()));
}

[[nodiscard]] inline reply get_partitions(call& asked) {
    const auto id = asked.run();
    if (!id) return std::unexpected{id.error()};
    const auto page = paging::of(asked, largest_page);
    if (!page) return std::unexpected{page.error()};
    std::optional<partition_state> state;
    if (auto read = asked.read("state", state); !read)
        return std::unexpected{std::move(read).error()};
    const auto report = http::asked(asked.feeds().report(*id), "id");
    if (!report) return std::unexpected{report.error()};
    std::uint32_t begin = 0;
    if (!page->after.empty()) {
        const auto after = read_number<std::uint32_t>(page->place().key, "after");
        if (!after) return std::unexpected{after.error()};
        begin = *after;
    }
    const auto feed = find_feed(asked.feeds().feeds(), report->run.feed);
    std::vector<bodies::partition> parts;
    std::uint64_t total = 0;
    std::string next;
    for (const auto& each : report->partitions) {
        if (state && each.state != *state) continue;
        ++total;
        if (each.number < begin) continue;
        if (parts.size() == page->size && next.empty())
            next = to_text(cursor{.key = std::to_string(each.number)});
        if (parts.size() == page->size) continue;
        parts.push_back(partition_body(each, feed ? *feed : nullptr));
    }
    return list_response(std::move(parts), page->next(next), total);
}

[[nodiscard]] inline reply get_bad_items(call& asked) {
    const auto found = find_run(asked);
    if (!found) return std::unexpected{found.error()};
    const auto page = paging::of(asked, 100);
    if (!page) return std::unexpected{page.error()};
    const auto items =
        page->asked(asked.feeds().bad_items(found->id, page->place().key, page->size));
    if (!items) return std::unexpected{items.error()};
    const bool has_more = items->size() == page->size;
    return list_response(bodies_of(*items,
                                   [](const bad_item& each) {
                                       return bodies::bad_item{each.key, each.reason, each.payload};
                                   }),
                         page->next(has_more ? to_text(cursor{.key = items->back().key}) : ""),
                         found->bad_items);
}

[[nodiscard]] inline reply get_run_events(call& asked) {
    const auto found = find_run(asked);
    if (!found) return std::unexpected{found.error()};
    return list_events(asked, operation_id{found->id.value}, 0);
}

[[nodiscard]] inline reply remove_run(call& asked) {
    const auto id = asked.run();
    if (!id) return std::unexpected{id.error()};
    auto removed = http::asked(asked.feeds().remove(*id), "id");
    if (!removed) return std::unexpected{std::move(removed).error()};
    return response{.status = 204};
}

/// Does something with a run; the run as it is then.
template <typename Change>
[[nodiscard]] reply change_run(call& asked, std::initializer_list<std::string_view> members,
                               Change change) {
    const auto id = asked.run();
    if (!id) return std::unexpected{id.error()};
    const auto body = json_body::read(asked.asked.body, members);
    if (!body) return std::unexpected{body.error()};
    or_problem<void> changed = change(*id, *body);
    if (!changed) return std::unexpected{std::move(changed).error()};
    const auto now = http::asked(asked.feeds().get(*id), "id");
    if (!now) return std::unexpected{now.error()};
    return json_response(202, run_body(*now, asked.feeds()));
}

/// What it said is of no interest, but whether it did.
template <typename T>
[[nodiscard]] or_problem<void> done(result<T> said, std::string_view field = {}) {
    if (said) return {};
    return std::unexpected{problem_of(std::move(said).error(), std::string{field})};
}

[[nodiscard]] inline reply retry_run(call& asked) {
    return change_run(
        asked, {"partition"}, [&](run_id id, const json_body& body) -> or_problem<void> {
            const auto part = body.number<std::uint32_t>("partition");
            if (!part) return std::unexpected{part.error()};
            return done(asked.feeds().retry_partitions(id, *part, asked.who.name), "partition");
        });
}
[[nodiscard]] inline reply consolidate_run(call& asked) {
    return change_run(asked, {"force"}, [&](run_id id, const json_body& body) -> or_problem<void> {
        const auto force = body.truth("force");
        if (!force) return std::unexpected{force.error()};
        return done(asked.feeds().consolidate(id, *force, asked.who.name), "force");
    });
}
[[nodiscard]] inline reply resume_run(call& asked) {
    return change_run(asked, {}, [&](run_id id, const json_body&) {
        return done(asked.feeds().resume_consolidation(id, asked.who.name));
    });
}
[[nodiscard]] inline reply cancel_run(call& asked) {
    return change_run(asked, {"reason"}, [&](run_id id, const json_body& body) -> or_problem<void> {
        const auto reason = body.text("reason");
        if (!reason) return std::unexpected{reason.error()};
        return done(asked.feeds().cancel(id, reason->value_or(""), asked.who.name));
    });
}

}  // namespace bulk::http::api
