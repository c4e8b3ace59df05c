// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/operation_type.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/shapes.hpp>
#include <bulk/http/disposition.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/service/export_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

[[nodiscard]] inline bodies::step step_body(const step_description& step) {
    const auto ms = [](std::chrono::milliseconds span) {
        return static_cast<std::int32_t>(std::min<std::int64_t>(span.count(), 2'147'483'647));
    };
    bodies::step body{.index = step.index,
                      .name = std::string{step.name},
                      .kind = step.kind,
                      .max_retries = step.max_retries,
                      .allow_operation_retry = step.allow_operation_retry};
    if (step.kind == step_kind::polled) body.poll_interval_ms = ms(step.poll_interval);
    if (step.timeout) body.timeout_ms = ms(*step.timeout);
    return body;
}

[[nodiscard]] inline bodies::operation_type operation_type_body(
    const operation_description& about) {
    const auto texts = [](std::span<const std::string_view> all) {
        return std::vector<std::string>{all.begin(), all.end()};
    };
    bodies::operation_type body{.name = std::string{about.name},
                                .description = std::string{about.description},
                                .is_pipeline = about.is_pipeline,
                                .retryable = about.retryable,
                                .track_row_data = about.track_row_data,
                                .max_failed_rows = about.max_failed_rows,
                                .max_failed_ratio = about.max_failed_ratio};
    for (const auto& field : about.metadata)
        body.metadata.push_back({.name = std::string{field.name},
                                 .type = std::string{field.type},
                                 .required = field.required,
                                 .description = std::string{field.description},
                                 .choices = texts(field.choices)});
    for (const auto& column : about.columns)
        body.columns.push_back({.name = std::string{column.name},
                                .type = std::string{column.type},
                                .required = column.required,
                                .nullable = column.nullable,
                                .hidden = column.hidden,
                                .format = bodies::given(column.format),
                                .row_id = column.row_id,
                                .unique = column.unique,
                                .choices = texts(column.choices)});
    for (const auto& step : about.steps) body.steps.push_back(step_body(step));
    return body;
}

[[nodiscard]] inline reply get_operation_types(call& asked) {
    const auto all = asked.service().operations().all();
    return list_response(bodies_of(all, operation_type_body));
}

[[nodiscard]] inline reply get_operation_type(call& asked) {
    const auto about = http::asked(asked.service().operations().find(asked.path("name")), "name");
    if (!about) return std::unexpected{about.error()};
    return json_response(200, operation_type_body(**about));
}

/// An empty file of an operation type, to be saved.
[[nodiscard]] inline reply template_response(call& asked, const operation_description& about,
                                             export_format format) {
    auto text = http::asked(asked.service().template_for(about.name, format));
    if (!text) return std::unexpected{std::move(text).error()};
    response said{.body = std::move(*text)};
    said.headers.add("Content-Type", std::string{content_type_of(name_of(format))});
    said.headers.add("Content-Disposition",
                     attachment(concat(about.name, "-template.", name_of(format))));
    return said;
}

[[nodiscard]] inline reply get_template(call& asked) {
    export_format format{};
    if (auto read = asked.read("format", format); !read) return std::unexpected{read.error()};
    const auto about = http::asked(asked.service().operations().find(asked.path("name")), "name");
    if (!about) return std::unexpected{about.error()};
    return template_response(asked, **about, format);
}

}  // namespace bulk::http::api
