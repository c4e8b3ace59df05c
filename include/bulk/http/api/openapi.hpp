// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/older_routes.hpp>
#include <bulk/http/api/older_schemas.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/api/schema.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/service/export_options.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// The JSON schema of a type of a member: see schema.hpp.
[[nodiscard]] inline std::string type_schema(std::string_view type) {
    if (type.ends_with('!')) type.remove_suffix(1);
    if (type.ends_with('?')) {
        type.remove_suffix(1);
        return concat(R"({"anyOf":[)", type_schema(type), R"(,{"type":"null"}]})");
    }
    if (type.starts_with('['))
        return concat(R"({"type":"array","items":)", type_schema(type.substr(1, type.size() - 2)),
                      '}');
    if (const auto bar = type.find('|'); bar != std::string_view::npos)
        return concat(R"({"anyOf":[)", type_schema(type.substr(0, bar)), ',',
                      type_schema(type.substr(bar + 1)), "]}");
    if (type == "int") return R"({"type":"integer","format":"int32"})";
    if (type == "long") return R"({"type":"integer","format":"int64"})";
    if (type == "double") return R"({"type":"number","format":"double"})";
    if (type == "bytes") return R"({"type":"string","format":"byte"})";
    if (type == "text") return R"({"type":"string"})";
    if (type == "whole") return R"({"type":"integer"})";
    if (type == "page_size") return R"({"type":"integer","minimum":1,"maximum":1000})";
    if (type == "count") return R"({"type":"string","pattern":"^(0|[1-9][0-9]*)$"})";
    if (type == "natural") return R"({"type":"string","pattern":"^[0-9]{1,19}$"})";
    if (type == "day") return R"({"type":"string","format":"date"})";
    if (type == "number") return R"({"type":"number"})";
    if (type == "truth") return R"({"type":"boolean"})";
    if (type == "moment") return R"({"type":"string","format":"date-time"})";
    if (type == "uuid") return R"({"type":"string","format":"uuid"})";
    if (type == "object") return R"({"type":"object"})";
    if (type == "anything") return "{}";
    return concat(R"({"$ref":"#/components/schemas/)", type, "\"}");
}

/// Calls `visit(name, type)` for each member of a schema.
template <typename Visit>
constexpr void for_each_member(std::string_view members, Visit visit) {
    while (!members.empty()) {
        const auto end = members.find(", ");
        const auto each = members.substr(0, end);
        members = end == std::string_view::npos ? std::string_view{} : members.substr(end + 2);
        const auto colon = each.find(':');
        visit(each.substr(0, colon), each.substr(colon + 1));
    }
}

namespace detail {

[[nodiscard]] inline std::string object_schema(const schema& of) {
    const bool is_request = of.name.ends_with("_request") || of.name == "nothing";
    json_object properties;
    json_array required;
    bool has_required = false;
    for_each_member(of.members, [&](std::string_view name, std::string_view type) {
        const bool is_rare = name.ends_with('?');
        if (is_rare) name.remove_suffix(1);
        const bool is_optional = is_request && !type.ends_with('!');  // null is as good as nothing
        const bool takes_null = is_optional && !type.ends_with('?') && type != "anything";
        std::string taken = takes_null ? concat(type, '?') : std::string{type};
        if (const auto at = taken.find("count"); is_request && at != std::string::npos)
            taken.replace(at, 5, "natural");  // zeros in front do no harm
        properties.add_raw(name, type_schema(taken));
        if (is_rare || is_optional) return;
        required.add(name);
        has_required = true;
    });
    json_object shape;
    shape.add("type", "object").add("description", of.about).add("properties", properties);
    if (has_required) shape.add("required", required);
    if (is_request) shape.add("additionalProperties", false);
    return shape.json();
}

/// The text of each schema by its name.
using schema_list = std::vector<std::pair<std::string_view, std::string>>;

template <described_enum E>
void add_enum(schema_list& to, std::string_view name) {
    to.emplace_back(name, json_object{}
                              .add("type", "string")
                              .add("enum", json_list(enumerators_of<E>,
                                                     [](const auto& each) { return each.name; }))
                              .json());
}

/// The same in BulkSharp's spelling; `none` is a name of its own that it has in front.
template <described_enum E>
void add_older_enum(schema_list& to, std::string_view name, std::string_view none = {}) {
    std::vector<std::string> names;
    if (!none.empty()) names.emplace_back(none);
    for (const auto& each : enumerators_of<E>)
        if (auto text = bulksharp_name(each.value); std::ranges::find(names, text) == names.end())
            names.push_back(std::move(text));
    to.emplace_back(name,
                    json_object{}
                        .add("type", "string")
                        .add("enum", json_list(names, [](std::string_view each) { return each; }))
                        .json());
}

[[nodiscard]] inline schema_list all_schemas() {
    schema_list all;
    add_older_enum<operation_state>(all, "BulkOperationStatus");
    add_older_enum<row_state>(all, "RowRecordState");
    add_older_enum<error_type>(all, "BulkErrorType", "None");
    add_older_enum<severity>(all, "OperationEventSeverity");
    add_enum<operation_state>(all, "operation_state");
    add_enum<row_state>(all, "row_state");
    add_enum<error_type>(all, "error_type");
    add_enum<event_kind>(all, "event_kind");
    add_enum<severity>(all, "severity");
    add_enum<step_kind>(all, "step_kind");
    add_enum<export_kind>(all, "export_kind");
    add_enum<export_format>(all, "export_format");
    add_enum<export_rows>(all, "export_rows");
    add_enum<operation_sort>(all, "operation_sort");
    add_enum<row_sort>(all, "row_sort");
    add_enum<sort_order>(all, "sort_order");
    add_enum<worker_kind>(all, "worker_kind");
    add_enum<run_type>(all, "run_type");
    add_enum<run_state>(all, "run_state");
    add_enum<partition_state>(all, "partition_state");
    for (const auto& each : schemas) all.emplace_back(each.name, object_schema(each));
    for (const auto& each : older_schemas) all.emplace_back(each.name, object_schema(each));
    return all;
}

/// Those that a text speaks of, and those that they speak of.
[[nodiscard]] inline json_object schemas_of(std::string text) {
    const auto all = all_schemas();
    std::vector<bool> is_used(all.size());
    for (bool is_news = true; is_news;) {
        is_news = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (is_used[i] || !text.contains(type_schema(all[i].first))) continue;
            is_used[i] = is_news = true;
            text += all[i].second;
        }
    }
    json_object used;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_used[i]) used.add_raw(all[i].first, all[i].second);
    return used;
}

/// `types` are those that the answer may have, parted by commas.
[[nodiscard]] inline std::string content_of(std::string_view types, std::string_view schema) {
    json_object all;
    while (!types.empty()) {
        const auto end = std::min(types.find(", "), types.size());
        const auto type = types.substr(0, end);
        types.remove_prefix(std::min(end + 2, types.size()));
        const bool is_json = type == "application/json";
        all.add_raw(type.substr(0, type.find(';')), concat("{\"schema\":",
                                                           !schema.empty() ? type_schema(schema)
                                                           : is_json       ? "{}"
                                                                           : R"({"type":"string"})",
                                                           '}'));
    }
    return all.json();
}

/// What a parameter takes: less than a member of an answer may be.
[[nodiscard]] inline std::string parameter_schema(std::string_view type) {
    if (type == "count") return type_schema("natural");
    if (type == "moment") return type_schema("moment|day");  // which begins with it
    return type_schema(type);
}

[[nodiscard]] inline json_array parameters_of(const route& of) {
    json_array all;
    for (auto rest = of.path; !rest.empty();) {
        const auto open = rest.find('{');
        if (open == std::string_view::npos) break;
        rest.remove_prefix(open + 1);
        const auto name = rest.substr(0, rest.find('}'));
        all.add(json_object{}
                    .add("name", name)
                    .add("in", "path")
                    .add("required", true)
                    .add_raw("schema", parameter_schema(name == "id"    ? "uuid"
                                                        : name == "row" ? "count"
                                                                        : "text")));
    }
    for (const auto& each : of.parameters) {
        json_object shape;
        shape.add("name", each.name)
            .add("in", each.in)
            .add("required", each.is_required)
            .add("description", each.about)
            .add_raw("schema",
                     of.topic == older ? type_schema(each.type) : parameter_schema(each.type));
        if (of.topic != older && each.in == place::query)
            shape.add("allowEmptyValue", true);  // as if it were not there
        all.add(shape);
    }
    return all;
}

[[nodiscard]] inline std::string body_of(const route& of) {
    if (of.body == body_shape::json)
        return json_object{}
            .add("required", of.topic == older && of.takes != "nothing")
            .add_raw("content", content_of("application/json", of.takes))
            .json();
    json_object form;
    form.add("type", "object")
        .add_raw(
            "properties",
            of.topic == older
                ? R"({"operationName":{"type":"string"},"metadata":{"type":"string"},"createdBy":{"type":"string"},"notifications":{"type":"string"},"file":{"type":"string","format":"binary"}})"
                : R"({"type":{"type":"string"},"metadata":{"type":"string","description":"a JSON object"},"recipients":{"type":"string","description":"a JSON list of {channel, target, when}"},"file":{"type":"string","format":"binary","description":"the last part"}})")
        .add("required", of.id == "olderCreateBulk" ? json_array{}.add("operationName").add("file")
                         : of.topic == older        ? json_array{}.add("operationName")
                         : of.id == "createOperation" ? json_array{}.add("type").add("file")
                                                      : json_array{}.add("file"));
    json_object content;
    content.add("multipart/form-data", json_object{}.add("schema", form));
    if (of.topic != older)
        content.add("application/octet-stream",
                    json_object{}.add_raw("schema", R"({"type":"string","format":"binary"})"));
    return json_object{}.add("required", true).add("content", content).json();
}

/// How a route of BulkSharp refuses, apart from what the table has: what is checked before the route is
/// known is a problem document, the rest is as its handler writes it.
template <typename Add>
void add_older_refusals(const route& of, Add add) {
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

[[nodiscard]] inline json_object answers_of(const route& of) {
    json_object all;
    const auto add = [&](int status, std::string_view about, std::string_view content,
                         std::string_view schema) {
        json_object answer;
        answer.add("description", about);
        if (!content.empty()) answer.add_raw("content", content_of(content, schema));
        all.add(std::to_string(status), answer);
    };
    add(of.status, of.summary, of.content, of.gives);
    for (const auto& each : of.others) add(each.status, each.about, each.content, each.schema);
    const auto refuse_with = [&](int status, std::string_view about) {
        add(status, about, "application/problem+json", "problem");
    };
    if (of.id == "getReadiness") add(503, "It is not", "application/json", "health");
    if (of.topic == older) {
        add_older_refusals(of, add);
        return all;
    }
    const auto has_parameter = [&](std::string_view name) {
        return std::ranges::find(of.parameters, name, &parameter::name) != of.parameters.end();
    };
    const bool may_be_missing = of.path.contains('{') || of.id == "createOperation";
    const bool is_json = of.verb == method::get && !of.gives.empty();
    refuse_with(400, "Invalid request");
    if (of.needs != right::open) {
        refuse_with(401, "Authentication required");
        refuse_with(403, "Permission denied");
        refuse_with(429, "Too many wrong tokens");
    }
    if (may_be_missing) refuse_with(404, "Not found");
    refuse_with(405, "Method not allowed");
    if (is_json && of.needs != right::open) refuse_with(406, "Not acceptable");
    if (of.body != body_shape::none) refuse_with(408, "The body did not arrive in time");
    if (of.needs == right::operate) refuse_with(409, "Conflict with the current state");
    if (of.id == "getFile" || of.id == "exportRows")
        refuse_with(409, "The stored file was changed since it was uploaded");
    if (of.id == "getFile") refuse_with(410, "The stored file was deleted");
    if (of.needs == right::operate) refuse_with(412, "If-Match is not supported");
    refuse_with(413, "Content too large");
    refuse_with(414, "URI too long");
    if (of.body != body_shape::none) refuse_with(415, "Unsupported media type");
    if (has_parameter("Range")) refuse_with(416, "Range not satisfiable");
    refuse_with(421, "Misdirected request");
    if (has_parameter("Idempotency-Key"))
        refuse_with(422, "The idempotency key was used for another request");
    refuse_with(431, "Request header fields too large");
    if (of.needs != right::open) refuse_with(500, "Internal error, or damaged records");
    if (of.id != "getReadiness" && of.id != "getHealth")
        refuse_with(503, "Temporarily unavailable");
    return all;
}

}  // namespace detail

/// OpenAPI 3.1 of some routes: version 1, or the older ones.
[[nodiscard]] inline std::string openapi_document(std::span<const route> routes, bool is_older,
                                                  std::string_view title,
                                                  std::string_view version) {
    json_object paths;
    for (std::size_t i = 0; i < routes.size(); ++i) {
        if ((routes[i].topic == older) != is_older) continue;
        bool is_known = false;  // a path is written once, with all of its methods
        for (std::size_t j = 0; j < i; ++j) is_known |= routes[j].path == routes[i].path;
        if (is_known) continue;
        json_object methods;
        for (const auto& each : routes.subspan(i)) {
            if (each.path != routes[i].path) continue;
            std::string id{each.id};
            if (is_older) {  // as its clients know them
                id = id.substr(5);
                id[0] = lower_case(id[0]);
            }
            json_object operation;
            operation.add("operationId", id)
                .add("summary", each.summary)
                .add("tags", json_array{}.add(each.topic))
                .add("parameters", detail::parameters_of(each));
            // BulkSharp's clients may send a body where none is taken: it is ignored.
            if (each.body != body_shape::none && !(is_older && each.takes == "nothing"))
                operation.add_raw("requestBody", detail::body_of(each));
            operation.add("responses", detail::answers_of(each));
            operation.add_raw("security", each.needs == right::open ? "[]" : R"([{"bearer":[]}])");
            std::string verb{verb_name(each.verb)};
            for (char& c : verb) c = lower_case(c);
            methods.add(verb, operation);
        }
        paths.add(routes[i].path, methods);
    }
    return json_object{}
        .add("openapi", "3.1.0")
        .add("info",
             json_object{}
                 .add("title", title)
                 .add("version", version)
                 .add("description",
                      "A query parameter with an empty value counts as not given. A path may "
                      "end with a slash. Numbers that may exceed 2^53 are strings of digits.")
                 .add("license", json_object{}.add("name", "MIT").add("identifier", "MIT")))
        .add_raw("servers", R"([{"url":"/"}])")
        .add("paths", paths)
        .add("components",
             json_object{}
                 .add("schemas", detail::schemas_of(paths.json()))
                 .add_raw("securitySchemes", R"({"bearer":{"type":"http","scheme":"bearer"}})"))
        .json();
}

}  // namespace bulk::http::api
