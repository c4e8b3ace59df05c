// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/core/worker_record.hpp>
#include <bulk/http/api/bodies/event.hpp>
#include <bulk/http/api/bodies/feed.hpp>
#include <bulk/http/api/bodies/list.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/operation_type.hpp>
#include <bulk/http/api/bodies/retry.hpp>
#include <bulk/http/api/bodies/row.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/service.hpp>
#include <bulk/http/api/body_schema.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/schema.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/service/export_options.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace bulk::http::api {

/// Version 1: numbers of 64 bits are strings of digits.
struct api_dialect {
    using style = api_style;
    static constexpr std::string_view whole = "whole", wide = "count", fraction = "number";
    static constexpr enum_schemas enumerations{enum_schema<operation_state>{"operation_state"},
                                               enum_schema<row_state>{"row_state"},
                                               enum_schema<error_type>{"error_type"},
                                               enum_schema<event_kind>{"event_kind"},
                                               enum_schema<severity>{"severity"},
                                               enum_schema<step_kind>{"step_kind"},
                                               enum_schema<export_kind>{"export_kind"},
                                               enum_schema<export_format>{"export_format"},
                                               enum_schema<export_rows>{"export_rows"},
                                               enum_schema<operation_sort>{"operation_sort"},
                                               enum_schema<row_sort>{"row_sort"},
                                               enum_schema<sort_order>{"sort_order"},
                                               enum_schema<worker_kind>{"worker_kind"},
                                               enum_schema<run_type>{"run_type"},
                                               enum_schema<run_state>{"run_state"},
                                               enum_schema<partition_state>{"partition_state"}};
};
/// Members without a value are left out.
struct problem_dialect : api_dialect {
    using style = problem_style;
};

/// The schema of a page of bodies.
template <described_struct Body>
[[nodiscard]] schema list_schema_of(std::string_view name, std::string_view about) {
    return schema_of<api_dialect, bodies::list<Body>>(name, about);
}

namespace detail {

[[nodiscard]] inline std::vector<schema> operation_schemas() {
    return {
        schema_of<problem_dialect, problem_document>(
            "problem", "why a request was not answered as it asked (RFC 9457)"),
        schema_of<api_dialect, bodies::health>(),
        schema_of<api_dialect, bodies::index>(),
        schema_of<api_dialect, bodies::principal>(),
        {"nothing", "no members", ""},
        schema_of<api_dialect, bodies::overview>(),
        schema_of<api_dialect, bodies::throughput>(),
        schema_of<api_dialect, bodies::step_latency>(),
        schema_of<api_dialect, bodies::worker>(),
        list_schema_of<bodies::worker>("worker_list", "all of them"),

        schema_of<api_dialect, bodies::operation_type>(),
        schema_of<api_dialect, bodies::metadata_field>(),
        schema_of<api_dialect, bodies::column>(),
        schema_of<api_dialect, bodies::step>(),
        list_schema_of<bodies::operation_type>("operation_type_list", "all of them"),

        schema_of<api_dialect, bodies::operation>(),
        schema_of<api_dialect, bodies::file>(),
        schema_of<api_dialect, bodies::stored_file>(),
        list_schema_of<bodies::stored_file>("stored_file_list", "a page of files"),
        schema_of<api_dialect, bodies::row_counts>(),
        schema_of<api_dialect, bodies::step_name>(),
        list_schema_of<bodies::operation>("operation_list", "a page of them"),
        schema_of<api_dialect, bodies::status>(),

        schema_of<api_dialect, bodies::row>(),
        schema_of<api_dialect, bodies::step_record>(),
        list_schema_of<bodies::row>("row_list", "a page of them"),
        schema_of<api_dialect, bodies::row_error>(),
        list_schema_of<bodies::row_error>("error_list", "a page of them"),
        schema_of<api_dialect, bodies::error_group>(),
        list_schema_of<bodies::error_group>("error_group_list", "all of them"),
        schema_of<api_dialect, bodies::dry_run>(),
        schema_of<api_dialect, bodies::dry_run_error>(),
        schema_of<api_dialect, bodies::event>(),
        list_schema_of<bodies::event>("event_list", "a page of them"),

        {"retry_request", "rows, or what they have in common; nothing is all that failed",
         "rows:[count], step:text, failure:error_type, group:text"},
        schema_of<api_dialect, bodies::retry_answer>(),
        schema_of<api_dialect, bodies::retry_eligibility>(),
        schema_of<api_dialect, bodies::retry_entry>(),
        list_schema_of<bodies::retry_entry>("retry_entry_list", "a page of them"),
        {"signal_request", "for the row that has waited longest for the key, or for one row",
         "key:text!, row:count, failure:text"},
        schema_of<api_dialect, bodies::signal_receipt>(),
    };
}

[[nodiscard]] inline std::vector<schema> feed_schemas() {
    return {
        schema_of<api_dialect, bodies::feed>(),
        list_schema_of<bodies::feed>("feed_list", "all of them"),
        schema_of<api_dialect, bodies::watermark>(),
        {"watermark_request", "null makes the next run a full one", "value:moment|day?!"},
        schema_of<api_dialect, bodies::window>(),
        schema_of<api_dialect, bodies::text_range>(),
        schema_of<api_dialect, bodies::plan>(),
        schema_of<api_dialect, bodies::planned_partition>(),
        schema_of<api_dialect, bodies::item>(),
        list_schema_of<bodies::item>("item_list", "a page of them"),
        {"run_request", "how a run starts", "type:run_type, max_records:count, trace:text"},
        schema_of<api_dialect, bodies::no_run>(),
        schema_of<api_dialect, bodies::run>(),
        list_schema_of<bodies::run>("run_list", "a page of them"),
        schema_of<api_dialect, bodies::partition>(),
        list_schema_of<bodies::partition>("partition_list", "all of them"),
        schema_of<api_dialect, bodies::bad_item>(),
        list_schema_of<bodies::bad_item>("bad_item_list", "a page of them"),
        {"run_retry_request", "one partition, or all that failed", "partition:whole"},
        {"consolidate_request", "force goes on without what failed", "force:truth"},
        {"cancel_request", "why", "reason:text"},
    };
}

}  // namespace detail

/// All schemas of version 1: bodies of responses from their types, and those of requests, which are read
/// member by member.
[[nodiscard]] inline const std::vector<schema>& schemas() {
    static const std::vector<schema> all = [] {
        auto listed = detail::operation_schemas();
        std::ranges::copy(detail::feed_schemas(), std::back_inserter(listed));
        return listed;
    }();
    return all;
}

}  // namespace bulk::http::api
