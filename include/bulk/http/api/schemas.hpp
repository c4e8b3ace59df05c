// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/bodies/event.hpp>
#include <bulk/http/api/bodies/feed.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/operation_type.hpp>
#include <bulk/http/api/bodies/retry.hpp>
#include <bulk/http/api/bodies/row.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/service.hpp>
#include <bulk/http/api/body_schema.hpp>
#include <bulk/http/api/schema.hpp>

#include <vector>

namespace bulk::http::api {

/// All schemas of version 1: bodies of responses from their types, and those of requests, which are read
/// member by member.
[[nodiscard]] inline const std::vector<schema>& schemas() {
    static const std::vector<schema> all{
        {"problem", "why a request was not answered as it asked (RFC 9457)",
         "type:text, title:text, status:whole, detail:text, field?:text, instance:text"},
        schema_of<bodies::health>(),
        schema_of<bodies::index>(),
        schema_of<bodies::principal>(),
        {"nothing", "no members", ""},
        schema_of<bodies::overview>(),
        schema_of<bodies::throughput>(),
        schema_of<bodies::step_latency>(),
        schema_of<bodies::worker>(),
        list_schema_of<bodies::worker>("worker_list", "all of them"),

        schema_of<bodies::operation_type>(),
        schema_of<bodies::metadata_field>(),
        schema_of<bodies::column>(),
        schema_of<bodies::step>(),
        list_schema_of<bodies::operation_type>("operation_type_list", "all of them"),

        schema_of<bodies::operation>(),
        schema_of<bodies::file>(),
        schema_of<bodies::stored_file>(),
        list_schema_of<bodies::stored_file>("stored_file_list", "a page of files"),
        schema_of<bodies::row_counts>(),
        schema_of<bodies::step_name>(),
        list_schema_of<bodies::operation>("operation_list", "a page of them"),
        schema_of<bodies::status>(),

        schema_of<bodies::row>(),
        schema_of<bodies::step_record>(),
        list_schema_of<bodies::row>("row_list", "a page of them"),
        schema_of<bodies::row_error>(),
        list_schema_of<bodies::row_error>("error_list", "a page of them"),
        schema_of<bodies::error_group>(),
        list_schema_of<bodies::error_group>("error_group_list", "all of them"),
        schema_of<bodies::dry_run>(),
        schema_of<bodies::dry_run_error>(),
        schema_of<bodies::event>(),
        list_schema_of<bodies::event>("event_list", "a page of them"),

        {"retry_request", "rows, or what they have in common; nothing is all that failed",
         "rows:[count], step:text, failure:error_type, group:text"},
        schema_of<bodies::retry_answer>(),
        schema_of<bodies::retry_eligibility>(),
        schema_of<bodies::retry_entry>(),
        list_schema_of<bodies::retry_entry>("retry_entry_list", "a page of them"),
        {"signal_request", "for the row that has waited longest for the key, or for one row",
         "key:text!, row:count, failure:text"},
        schema_of<bodies::signal_receipt>(),

        schema_of<bodies::feed>(),
        list_schema_of<bodies::feed>("feed_list", "all of them"),
        schema_of<bodies::watermark>(),
        {"watermark_request", "null makes the next run a full one", "value:moment|day?!"},
        schema_of<bodies::window>(),
        schema_of<bodies::text_range>(),
        schema_of<bodies::plan>(),
        schema_of<bodies::planned_partition>(),
        schema_of<bodies::item>(),
        list_schema_of<bodies::item>("item_list", "a page of them"),
        {"run_request", "how a run starts", "type:run_type, max_records:count, trace:text"},
        schema_of<bodies::no_run>(),
        schema_of<bodies::run>(),
        list_schema_of<bodies::run>("run_list", "a page of them"),
        schema_of<bodies::partition>(),
        list_schema_of<bodies::partition>("partition_list", "all of them"),
        schema_of<bodies::bad_item>(),
        list_schema_of<bodies::bad_item>("bad_item_list", "a page of them"),
        {"run_retry_request", "one partition, or all that failed", "partition:whole"},
        {"consolidate_request", "force goes on without what failed", "force:truth"},
        {"cancel_request", "why", "reason:text"},
    };
    return all;
}

}  // namespace bulk::http::api
