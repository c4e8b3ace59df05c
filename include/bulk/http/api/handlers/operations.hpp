// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

enum class sort_order : std::uint8_t { asc, desc };
BOOST_DESCRIBE_ENUM(sort_order, asc, desc)

/// The rate is no part of it: whoever has the same version has seen everything that was stored.
[[nodiscard]] inline std::string etag_of(const operation_record& of) {
    return concat("W/\"", of.version, '-', of.rows.processed, '-', name_of(of.state), '"');
}

[[nodiscard]] inline or_problem<operation_record> find_operation(call& asked) {
    const auto id = asked.id();
    if (!id) return std::unexpected{id.error()};
    return http::asked(asked.service().get(*id), "id");
}

[[nodiscard]] inline reply get_operations(call& asked) {
    const auto page = paging::of(asked, 20);
    if (!page) return std::unexpected{page.error()};
    operation_query query{.name_contains = asked.text("type"),
                          .created_by_contains = asked.text("created_by"),
                          .page_size = page->size,
                          .after = page->after};
    sort_order order = sort_order::desc;
    auto read = all_of({asked.read("state", query.state), asked.read("from", query.created_from),
                        asked.read("to", query.created_to), asked.read("sort", query.sort),
                        asked.read("order", order),
                        check_range("from", query.created_from, "to", query.created_to)});
    if (!read) return std::unexpected{std::move(read).error()};
    query.descending = order == sort_order::desc;
    if (auto valid = http::asked(validate(query)); !valid) return std::unexpected{valid.error()};
    const auto found = page->asked(asked.service().query(query));
    if (!found) return std::unexpected{found.error()};
    return list_response(bodies_of(found->items,
                                   [&](const operation_record& each) {
                                       return operation_body(each, asked.service(), asked.to.rates);
                                   }),
                         page->next(found->next), found->total);
}

[[nodiscard]] inline response operation_response(call& asked, int status,
                                                 const operation_record& of) {
    auto said = json_response(status, operation_body(of, asked.service(), asked.to.rates));
    said.headers.add("ETag", etag_of(of));
    return said;
}

[[nodiscard]] inline response not_modified(std::string etag) {
    return {.status = 304, .headers = {{"ETag", std::move(etag)}}};
}

[[nodiscard]] inline reply get_operation(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    if (is_known(asked.headers(), etag_of(*found))) return not_modified(etag_of(*found));
    return operation_response(asked, 200, *found);
}

[[nodiscard]] inline reply get_status(call& asked) {
    const auto found = find_operation(asked);
    if (!found) return std::unexpected{found.error()};
    if (is_known(asked.headers(), etag_of(*found))) return not_modified(etag_of(*found));
    auto said = json_response(200, status_body(*found, asked.service().now(), asked.to.rates));
    said.headers.add("ETag", etag_of(*found));
    return said;
}

[[nodiscard]] inline reply remove_operation(call& asked) {
    const auto id = asked.id();
    if (!id) return std::unexpected{id.error()};
    auto removed = http::asked(asked.service().remove(*id));
    if (!removed) return std::unexpected{std::move(removed).error()};
    return response{.status = 204};
}

/// Cancel, pause and resume: the operation as it is then.
template <typename Change>
[[nodiscard]] reply change_operation(call& asked, Change change) {
    if (auto body = json_body::read(asked.asked.body, {}); !body)
        return std::unexpected{std::move(body).error()};
    const auto id = asked.id();
    if (!id) return std::unexpected{id.error()};
    auto changed = http::asked(change(*id));
    if (!changed) return std::unexpected{std::move(changed).error()};
    const auto now = http::asked(asked.service().get(*id));
    if (!now) return std::unexpected{now.error()};
    return operation_response(asked, 202, *now);
}

[[nodiscard]] inline reply cancel_operation(call& asked) {
    return change_operation(
        asked, [&](operation_id id) { return asked.service().cancel(id, asked.who.name); });
}
[[nodiscard]] inline reply pause_operation(call& asked) {
    return change_operation(
        asked, [&](operation_id id) { return asked.service().pause(id, asked.who.name); });
}
[[nodiscard]] inline reply resume_operation(call& asked) {
    return change_operation(
        asked, [&](operation_id id) { return asked.service().resume(id, asked.who.name); });
}

}  // namespace bulk::http::api
