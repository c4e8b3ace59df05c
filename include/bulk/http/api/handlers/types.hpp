// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/call.hpp>
#include <bulk/http/disposition.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/service/export_options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http::api {

[[nodiscard]] inline json_object operation_type_json(const operation_description& about) {
    const auto texts = [](const auto& all) {
        return json_list(all, [](std::string_view each) { return each; });
    };
    json_object shape;
    shape.add("name", about.name)
        .add("description", about.description)
        .add("is_pipeline", about.is_pipeline)
        .add("retryable", about.retryable)
        .add("track_row_data", about.track_row_data)
        .add("max_failed_rows", about.max_failed_rows)
        .add("max_failed_ratio", about.max_failed_ratio)
        .add("metadata", json_list(about.metadata,
                                   [&](const field_description& field) {
                                       return json_object{}
                                           .add("name", field.name)
                                           .add("type", field.type)
                                           .add("required", field.required)
                                           .add("description", field.description)
                                           .add("choices", texts(field.choices));
                                   }))
        .add("columns", json_list(about.columns,
                                  [&](const column_description& column) {
                                      return json_object{}
                                          .add("name", column.name)
                                          .add("type", column.type)
                                          .add("required", column.required)
                                          .add("nullable", column.nullable)
                                          .add("hidden", column.hidden)
                                          .add_text("format", column.format)
                                          .add("row_id", column.row_id)
                                          .add("unique", column.unique)
                                          .add("choices", texts(column.choices));
                                  }))
        .add("steps", json_list(about.steps, [](const step_description& step) {
                 const auto ms = [](std::chrono::milliseconds span) {
                     return static_cast<std::int32_t>(
                         std::min<std::int64_t>(span.count(), 2'147'483'647));
                 };
                 std::optional<std::int32_t> interval, timeout;
                 if (step.kind == step_kind::polled) interval = ms(step.poll_interval);
                 if (step.timeout) timeout = ms(*step.timeout);
                 return json_object{}
                     .add("index", step.index)
                     .add("name", step.name)
                     .add("kind", step.kind)
                     .add("max_retries", step.max_retries)
                     .add("poll_interval_ms", interval)
                     .add("timeout_ms", timeout)
                     .add("allow_operation_retry", step.allow_operation_retry);
             }));
    return shape;
}

[[nodiscard]] inline reply get_operation_types(call& asked) {
    const auto all = asked.service().operations();
    return json_response(
        200, list_json(json_list(all, operation_type_json), {}, std::uint64_t{all.size()}));
}

[[nodiscard]] inline reply get_operation_type(call& asked) {
    const auto about = http::asked(asked.service().find(asked.path("name")), "name");
    if (!about) return std::unexpected{about.error()};
    return json_response(200, operation_type_json(**about).json());
}

[[nodiscard]] inline reply get_template(call& asked) {
    export_format format{};
    if (auto read = asked.read("format", format); !read) return std::unexpected{read.error()};
    const auto about = http::asked(asked.service().find(asked.path("name")), "name");
    if (!about) return std::unexpected{about.error()};
    auto text = http::asked(asked.service().template_for((*about)->name, format));
    if (!text) return std::unexpected{std::move(text).error()};
    response said{.body = std::move(*text)};
    said.headers.add("Content-Type", std::string{content_type_of(name_of(format))});
    said.headers.add("Content-Disposition",
                     attachment(concat((*about)->name, "-template.", name_of(format))));
    return said;
}

}  // namespace bulk::http::api
