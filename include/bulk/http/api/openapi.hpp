// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/api/bulksharp/openapi.hpp>
#include <bulk/http/api/json_schema.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace bulk::http::api {

namespace detail {

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
                     of.is_bulksharp() ? type_schema(each.type) : parameter_schema(each.type));
        if (!of.is_bulksharp() && each.in == place::query)
            shape.add("allowEmptyValue", true);  // as if it were not there
        all.add(shape);
    }
    return all;
}

[[nodiscard]] inline std::string body_of(const route& of) {
    if (of.body == body_shape::json)
        return json_object{}
            .add("required", of.is_bulksharp() && of.takes != "nothing")
            .add_raw("content", content_of("application/json", of.takes))
            .json();
    json_object form;
    form.add("type", "object")
        .add_raw(
            "properties",
            of.is_bulksharp()
                ? bulksharp::form_properties
                : R"({"type":{"type":"string"},"metadata":{"type":"string","description":"a JSON object"},"recipients":{"type":"string","description":"a JSON list of {channel, target, when}"},"file":{"type":"string","format":"binary","description":"the last part"}})")
        .add("required", of.id == "olderCreateBulk" ? json_array{}.add("operationName").add("file")
                         : of.is_bulksharp()        ? json_array{}.add("operationName")
                         : of.id == "createOperation" ? json_array{}.add("type").add("file")
                                                      : json_array{}.add("file"));
    json_object content;
    content.add("multipart/form-data", json_object{}.add("schema", form));
    if (!of.is_bulksharp())
        content.add("application/octet-stream",
                    json_object{}.add_raw("schema", R"({"type":"string","format":"binary"})"));
    return json_object{}.add("required", true).add("content", content).json();
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
    if (of.is_bulksharp()) {
        bulksharp::add_refusals(of, add);
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

/// OpenAPI 3.1 of some routes: version 1, or those of BulkSharp.
[[nodiscard]] inline std::string openapi_document(std::span<const route> routes, bool is_bulksharp,
                                                  std::string_view title,
                                                  std::string_view version) {
    json_object paths;
    for (std::size_t i = 0; i < routes.size(); ++i) {
        if (routes[i].is_bulksharp() != is_bulksharp) continue;
        bool is_known = false;  // a path is written once, with all of its methods
        for (std::size_t j = 0; j < i; ++j) is_known |= routes[j].path == routes[i].path;
        if (is_known) continue;
        json_object methods;
        for (const auto& each : routes.subspan(i)) {
            if (each.path != routes[i].path) continue;
            const std::string id = is_bulksharp ? bulksharp::id_of(each) : std::string{each.id};
            json_object operation;
            operation.add("operationId", id)
                .add("summary", each.summary)
                .add("tags", json_array{}.add(each.topic))
                .add("parameters", detail::parameters_of(each));
            // BulkSharp's clients may send a body where none is taken: it is ignored.
            if (each.body != body_shape::none && !(is_bulksharp && each.takes == "nothing"))
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
                 .add("schemas", schemas_of(paths.json()))
                 .add_raw("securitySchemes", R"({"bearer":{"type":"http","scheme":"bearer"}})"))
        .json();
}

}  // namespace bulk::http::api
