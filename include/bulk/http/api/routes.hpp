// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/route.hpp>

#include <array>

namespace bulk::http::api {

namespace parameters {

inline constexpr parameter limit{"limit", "page_size", "how many, at most 1000"};
inline constexpr parameter after{"after", "text", "`next` of the page before"};
inline constexpr parameter behind{"after", "count", "only those behind this sequence"};

inline constexpr std::array format{parameter{"format", "export_format", "csv unless it is given"}};
inline constexpr std::array upload{
    parameter{"type", "text", "of a body that is the file itself: the operation type"},
    parameter{"file_name", "text", "of such a body: says which format it is in"},
    parameter{"metadata", "text", "of such a body: a JSON object"},
    parameter{"Idempotency-Key", "text", "sent twice, the first operation is the answer", false,
              place::header},
    parameter{"Content-Encoding", "text", "gzip or zstd: of such a body", false, place::header}};
inline constexpr std::array validate{
    parameter{"file_name", "text", "of a body that is the file itself: says which format it is in"},
    parameter{"metadata", "text", "of such a body: a JSON object"},
    parameter{"Content-Encoding", "text", "gzip or zstd: of such a body", false, place::header}};
inline constexpr std::array operations{
    parameter{"type", "text", "in its name, in any case"},
    parameter{"state", "operation_state", "that it is in"},
    parameter{"created_by", "text", "in the name of who created it, in any case"},
    parameter{"from", "moment", "created then or later"},
    parameter{"to", "moment", "created then or before"},
    parameter{"sort", "operation_sort", "created_at unless it is given"},
    parameter{"order", "sort_order", "desc unless it is given"},
    limit,
    after};
inline constexpr std::array etag{
    parameter{"If-None-Match", "text", "the ETag of what is known", false, place::header}};
inline constexpr std::array rows{
    parameter{"state", "row_state", "of the row: where it is now"},
    parameter{"step", "text", "rows with a record of this step; its name, or validation"},
    parameter{"row_id", "text", "in the row's id, in any case"},
    parameter{"from_row", "count", "from this one on"},
    parameter{"to_row", "count", "up to this one"},
    parameter{"errors_only", "truth", "failed or timed out"},
    parameter{"signal_key", "text", "what it waits for"},
    limit,
    after};
inline constexpr std::array errors{
    parameter{"failure", "error_type", "the kind of failure"},
    parameter{"step", "text", "failed at this step; its name, or validation"},
    parameter{"row_id", "text", "in the row's id, in any case"},
    parameter{"from_row", "count", "from this one on"},
    parameter{"to_row", "count", "up to this one"},
    parameter{"sort", "row_sort", "row unless it is given"},
    parameter{"order", "sort_order", "asc unless it is given"},
    limit,
    after};
inline constexpr std::array events{behind, limit};
inline constexpr std::array all_events{
    behind, limit, parameter{"operation", "uuid", "only those of this operation or run"}};
inline constexpr std::array event_stream{
    parameter{"operation", "uuid", "only those of this operation or run"}, behind,
    parameter{"Last-Event-ID", "count", "the same as `after`, as browsers send it", false,
              place::header}};
inline constexpr std::array file{
    parameter{"Range", "text", "one range of bytes", false, place::header},
    parameter{"If-Range", "text", "the ETag that the range belongs to", false, place::header},
    parameter{"If-None-Match", "text", "the ETag of what is known", false, place::header}};
inline constexpr std::array exports{
    parameter{"content", "export_kind", "report unless it is given"},
    parameter{"format", "export_format", "csv unless it is given"},
    parameter{"rows", "export_rows", "all unless it is given"},
    parameter{"state", "row_state", "of the row: where it is now"},
    parameter{"failure", "error_type", "the kind of failure"},
    parameter{"step", "text", "where the row is: a step's name, or validation"},
    parameter{"group", "text", "the pattern of an error group"}};
inline constexpr std::array history{parameter{"row", "count", "of this row"},
                                    parameter{"step", "text", "of this step"}, limit, after};

}  // namespace parameters

namespace answers {

inline constexpr std::array not_modified{other_answer{304, "it is what is known", {}, {}}};
inline constexpr std::array created_before{
    other_answer{200, "the key was seen before: the first operation", "operation"}};
inline constexpr std::array ranges{
    other_answer{206, "the bytes that were asked for", {}, "application/octet-stream"},
    other_answer{304, "it is what is known", {}, {}}};

}  // namespace answers

/// Version 1, operations.
inline constexpr std::array operation_routes{
    route{method::get, "/healthz", "getHealth", "service", "Whether the process answers",
          right::open, body_shape::none, {}, 200, "health"},
    route{method::get, "/readyz", "getReadiness", "service",
          "Whether it takes work: the storage answers, and it does not shut down", right::open,
          body_shape::none, {}, 200, "health"},
    route{method::get, "/metrics", "getMetrics", "service", "What was counted, for Prometheus",
          right::read, body_shape::none, {}, 200, {}, "text/plain; version=0.0.4"},
    route{method::get, "/api/v1", "getIndex", "service", "What this is, and who you are",
          right::read, body_shape::none, {}, 200, "index"},
    route{method::get, "/api/v1/openapi.json", "getOpenApi", "service", "This document",
          right::read, body_shape::none, {}, 200, "anything"},
    route{method::get, "/api/v1/overview", "getOverview", "service",
          "What there is, how fast it goes, and what needs attention", right::read,
          body_shape::none, {}, 200, "overview"},
    route{method::get, "/api/v1/workers", "getWorkers", "service", "Who works", right::read,
          body_shape::none, {}, 200, "[worker]"},

    route{method::get, "/api/v1/operation-types", "getOperationTypes", "operation types",
          "What this program does with files", right::read, body_shape::none, {}, 200,
          "operation_type_list"},
    route{method::get, "/api/v1/operation-types/{name}", "getOperationType", "operation types",
          "One of them, by name", right::read, body_shape::none, {}, 200, "operation_type"},
    route{method::get, "/api/v1/operation-types/{name}/template", "getTemplate", "operation types",
          "An empty file to be filled in", right::read, body_shape::none, {}, 200, {}, "text/csv",
          parameters::format},
    route{method::post, "/api/v1/operation-types/{name}/validate", "validateFile",
          "operation types", "What a run would find out before its first step; nothing is stored",
          right::operate, body_shape::upload, {}, 200, "dry_run", "application/json",
          parameters::validate},

    route{method::get, "/api/v1/operations", "getOperations", "operations",
          "Operations, the newest first unless asked otherwise", right::read, body_shape::none, {},
          200, "operation_list", "application/json", parameters::operations},
    route{method::post, "/api/v1/operations", "createOperation", "operations",
          "Takes a file in; it is run as soon as a worker is free", right::operate,
          body_shape::upload, {}, 202, "operation", "application/json", parameters::upload,
          answers::created_before},
    route{method::get, "/api/v1/operations/{id}", "getOperation", "operations", "One operation",
          right::read, body_shape::none, {}, 200, "operation", "application/json",
          parameters::etag, answers::not_modified},
    route{method::remove, "/api/v1/operations/{id}", "removeOperation", "operations",
          "Removes one that has ended, with everything of it", right::operate, body_shape::none,
          {}, 204, {}, {}},
    route{method::get, "/api/v1/operations/{id}/status", "getStatus", "operations",
          "How far it is", right::read, body_shape::none, {}, 200, "status", "application/json",
          parameters::etag, answers::not_modified},
    route{method::get, "/api/v1/operations/{id}/rows", "getRows", "rows",
          "Rows with what became of them, step by step", right::read, body_shape::none, {}, 200,
          "row_list", "application/json", parameters::rows},
    route{method::get, "/api/v1/operations/{id}/rows/{row}", "getRow", "rows", "One row",
          right::read, body_shape::none, {}, 200, "row"},
    route{method::get, "/api/v1/operations/{id}/errors", "getErrors", "rows",
          "Failed rows, one record each", right::read, body_shape::none, {}, 200, "error_list",
          "application/json", parameters::errors},
    route{method::get, "/api/v1/operations/{id}/error-groups", "getErrorGroups", "rows",
          "Errors by what they say", right::read, body_shape::none, {}, 200, "error_group_list"},
    route{method::get, "/api/v1/operations/{id}/events", "getOperationEvents", "events",
          "What happened to it, the oldest first", right::read, body_shape::none, {}, 200,
          "event_list", "application/json", parameters::events},
    route{method::get, "/api/v1/operations/{id}/file", "getFile", "operations",
          "The file as it was uploaded", right::read, body_shape::none, {}, 200, {},
          "application/octet-stream", parameters::file, answers::ranges},
    route{method::get, "/api/v1/operations/{id}/export", "exportRows", "rows",
          "A report of what became of the rows, or the rows themselves", right::read,
          body_shape::none, {}, 200, {}, "text/csv", parameters::exports},
    route{method::post, "/api/v1/operations/{id}/retry", "retryOperation", "operations",
          "Tries failed rows again: all, those named, or those that match", right::operate,
          body_shape::json, "retry_request", 202, "retry_answer"},
    route{method::get, "/api/v1/operations/{id}/retry-eligibility", "getRetryEligibility",
          "operations", "Whether it can be retried, and if not, why", right::read,
          body_shape::none, {}, 200, "retry_eligibility"},
    route{method::get, "/api/v1/operations/{id}/retry-history", "getRetryHistory", "operations",
          "How rows had failed before they were tried again", right::read, body_shape::none, {},
          200, "retry_entry_list", "application/json", parameters::history},
    route{method::post, "/api/v1/operations/{id}/cancel", "cancelOperation", "operations",
          "Ends it: rows in flight finish, the others stay unprocessed", right::operate,
          body_shape::json, "nothing", 202, "operation"},
    route{method::post, "/api/v1/operations/{id}/pause", "pauseOperation", "operations",
          "Begins nothing new until it is resumed", right::operate, body_shape::json, "nothing",
          202, "operation"},
    route{method::post, "/api/v1/operations/{id}/resume", "resumeOperation", "operations",
          "Goes on with it", right::operate, body_shape::json, "nothing", 202, "operation"},
    route{method::post, "/api/v1/operations/{id}/signals", "sendSignal", "operations",
          "Completes or fails the step of a row that waits", right::operate, body_shape::json,
          "signal_request", 202, "signal_receipt"},

    route{method::get, "/api/v1/events", "getEvents", "events",
          "What happened, the oldest first; without `after` the newest", right::read,
          body_shape::none, {}, 200, "event_list", "application/json", parameters::all_events},
    route{method::get, "/api/v1/events/stream", "streamEvents", "events",
          "The same as it happens, as server-sent events", right::read, body_shape::none, {}, 200,
          {}, "text/event-stream", parameters::event_stream},
};

}  // namespace bulk::http::api
