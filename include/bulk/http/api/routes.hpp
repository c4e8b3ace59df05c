// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/api/handlers/files.hpp>
#include <bulk/http/api/handlers/health.hpp>
#include <bulk/http/api/handlers/intake.hpp>
#include <bulk/http/api/handlers/metrics.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/handlers/overview.hpp>
#include <bulk/http/api/handlers/retries.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/handlers/signals.hpp>
#include <bulk/http/api/handlers/types.hpp>
#include <bulk/http/api/handlers/workers.hpp>
#include <bulk/http/api/route.hpp>

#include <array>

namespace bulk::http::api {

namespace parameters {

inline constexpr parameter limit{"limit", "page_size", "how many, at most 1000"};
inline constexpr parameter after{"after", "text", "`next` of the page before"};
inline constexpr parameter counted{"total", "truth",
                                   "false: how many there are is not counted, which among millions "
                                   "takes longer than a page"};
inline constexpr parameter behind{"after", "count", "only those behind this sequence"};

inline constexpr parameter file_name{
    "file_name", "text", "of a body that is the file itself: says which format it is in"};
inline constexpr parameter metadata{"metadata", "text", "of such a body: a JSON object"};
inline constexpr parameter content_encoding{"Content-Encoding", "text",
                                            "gzip or zstd: of such a body", false, place::header};
inline constexpr parameter known_etag{"If-None-Match", "text", "the ETag of what is known", false,
                                      place::header};
inline constexpr parameter record_state{"state", "row_state", "of the row: where it is now"};
inline constexpr parameter failure{"failure", "error_type", "the kind of failure"};
inline constexpr parameter row_id{"row_id", "text", "in the row's id, in any case"};
inline constexpr parameter from_row{"from_row", "count", "from this one on"};
inline constexpr parameter to_row{"to_row", "count", "up to this one"};
inline constexpr parameter one_operation{"operation", "uuid",
                                         "only those of this operation or run"};

inline constexpr std::array format{parameter{"format", "export_format", "csv unless it is given"}};
inline constexpr std::array upload{
    parameter{"type", "text", "of a body that is the file itself: the operation type"},
    parameter{"file_name", "text", "of such a body: says which format it is in"}, metadata,
    parameter{"Idempotency-Key", "text", "sent twice, the first operation is the answer", false,
              place::header},
    content_encoding};
inline constexpr std::array validate{file_name, metadata, content_encoding};
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
inline constexpr std::array etag{known_etag};
inline constexpr std::array rows{
    record_state,
    parameter{"step", "text", "rows with a record of this step; its name, or validation"},
    row_id,
    from_row,
    to_row,
    parameter{"errors_only", "truth", "failed or timed out"},
    parameter{"signal_key", "text", "what it waits for"},
    counted,
    limit,
    after};
inline constexpr std::array errors{
    failure,
    parameter{"step", "text", "failed at this step; its name, or validation"},
    row_id,
    from_row,
    to_row,
    parameter{"sort", "row_sort", "row unless it is given"},
    parameter{"order", "sort_order", "asc unless it is given"},
    counted,
    limit,
    after};
inline constexpr std::array events{behind, limit};
inline constexpr std::array all_events{behind, limit, one_operation};
inline constexpr std::array event_stream{
    one_operation, behind,
    parameter{"Last-Event-ID", "count", "the same as `after`, as browsers send it", false,
              place::header}};
inline constexpr std::array files{
    parameter{"name", "text", "beginning of the file name (case-sensitive)"}, limit, after};
inline constexpr std::array file{
    parameter{"Range", "text", "one range of bytes", false, place::header},
    parameter{"If-Range", "text", "the ETag that the range belongs to", false, place::header},
    known_etag};
inline constexpr std::array exports{
    parameter{"content", "export_kind", "report unless it is given"},
    parameter{"format", "export_format", "csv unless it is given"},
    parameter{"rows", "export_rows", "all unless it is given"},
    parameter{"guard", "truth",
              "of CSV data: keep spreadsheets from computing cells; undone on upload"},
    record_state,
    failure,
    parameter{"step", "text", "where the row is: a step's name, or validation"},
    parameter{"group", "text", "the pattern of an error group"}};
inline constexpr std::array history{parameter{"row", "count", "of this row"},
                                    parameter{"step", "text", "of this step"}, limit, after};

}  // namespace parameters

namespace answers {

inline constexpr std::array not_modified{other_answer{304, "it is what is known", {}, {}}};
inline constexpr std::array created_before{
    other_answer{200, "the key was seen before: the first operation", "operation"}};
inline constexpr std::array ranges{other_answer{206, "the bytes that were asked for", {}, "*/*"},
                                   other_answer{304, "it is what is known", {}, {}}};

}  // namespace answers

/// Version 1, operations.
inline constexpr std::array operation_routes{
    route::get("/healthz", "getHealth", get_health, "service", "Whether the process answers")
        .needing(right::open)
        .giving("health"),
    route::get("/readyz", "getReadiness", get_readiness, "service",
               "Whether it takes work: the storage answers, and it does not shut down")
        .needing(right::open)
        .giving("health"),
    route::get("/metrics", "getMetrics", get_metrics, "service", "What was counted, for Prometheus")
        .giving_content("text/plain; version=0.0.4"),
    route::get("/api/v1", "getIndex", get_index, "service", "What this is, and who you are")
        .giving("index"),
    route::get("/api/v1/openapi.json", "getOpenApi", get_open_api, "service", "This document")
        .giving("anything"),
    route::get("/api/v1/overview", "getOverview", get_overview, "service",
               "What there is, how fast it goes, and what needs attention")
        .giving("overview"),
    route::get("/api/v1/workers", "getWorkers", get_workers, "service",
               "Who works on the storage, in any process")
        .giving("worker_list"),

    route::get("/api/v1/operation-types", "getOperationTypes", get_operation_types,
               "operation types", "What this program does with files")
        .giving("operation_type_list"),
    route::get("/api/v1/operation-types/{name}", "getOperationType", get_operation_type,
               "operation types", "One of them, by name")
        .giving("operation_type"),
    route::get("/api/v1/operation-types/{name}/template", "getTemplate", get_template,
               "operation types", "An empty file to be filled in")
        .giving_content("text/csv, application/json, application/x-ndjson")
        .with(parameters::format),
    route::post("/api/v1/operation-types/{name}/validate", "validateFile", validate_file,
                "operation types",
                "What a run would find out before its first step; nothing is stored")
        .taking_upload()
        .giving("dry_run")
        .with(parameters::validate),

    route::get("/api/v1/operations", "getOperations", get_operations, "operations",
               "Operations, the newest first unless asked otherwise")
        .giving("operation_list")
        .with(parameters::operations),
    route::post("/api/v1/operations", "createOperation", create_operation, "operations",
                "Takes a file in; it is run as soon as a worker is free")
        .taking_upload()
        .giving("operation", 202)
        .with(parameters::upload)
        .or_else(answers::created_before),
    route::get("/api/v1/operations/{id}", "getOperation", get_operation, "operations",
               "One operation")
        .giving("operation")
        .with(parameters::etag)
        .or_else(answers::not_modified),
    route::remove("/api/v1/operations/{id}", "removeOperation", remove_operation, "operations",
                  "Removes one that has ended, with everything of it")
        .giving_nothing(),
    route::get("/api/v1/operations/{id}/status", "getStatus", get_status, "operations",
               "How far it is")
        .giving("status")
        .with(parameters::etag)
        .or_else(answers::not_modified),
    route::get("/api/v1/operations/{id}/rows", "getRows", get_rows, "rows",
               "Rows with what became of them, step by step")
        .giving("row_list")
        .with(parameters::rows),
    route::get("/api/v1/operations/{id}/rows/{row}", "getRow", get_row, "rows", "One row")
        .giving("row"),
    route::get("/api/v1/operations/{id}/errors", "getErrors", get_errors, "rows",
               "Failed rows, one record each")
        .giving("error_list")
        .with(parameters::errors),
    route::get("/api/v1/operations/{id}/error-groups", "getErrorGroups", get_error_groups, "rows",
               "Errors by what they say")
        .giving("error_group_list"),
    route::get("/api/v1/operations/{id}/events", "getOperationEvents", get_operation_events,
               "events", "What happened to it, the oldest first")
        .giving("event_list")
        .with(parameters::events),
    route::get("/api/v1/operations/{id}/file", "getFile", get_file, "operations",
               "The file as it was uploaded; its media type, if browsers do not run it")
        .needing(right::files)
        .giving_content("*/*")
        .with(parameters::file)
        .or_else(answers::ranges),
    route::get("/api/v1/operations/{id}/export", "exportRows", export_rows_of, "rows",
               "A report of what became of the rows, or the rows themselves")
        .giving_content(
            "text/csv, text/tab-separated-values, application/json, application/x-ndjson")
        .with(parameters::exports),
    route::post("/api/v1/operations/{id}/retry", "retryOperation", retry_operation, "operations",
                "Tries failed rows again: all, those named, or those that match")
        .taking("retry_request")
        .giving("retry_answer", 202),
    route::get("/api/v1/operations/{id}/retry-eligibility", "getRetryEligibility",
               get_retry_eligibility, "operations", "Whether it can be retried, and if not, why")
        .giving("retry_eligibility"),
    route::get("/api/v1/operations/{id}/retry-history", "getRetryHistory", get_retry_history,
               "operations", "How rows had failed before they were tried again")
        .giving("retry_entry_list")
        .with(parameters::history),
    route::post("/api/v1/operations/{id}/cancel", "cancelOperation", cancel_operation, "operations",
                "Ends it: rows in flight finish, the others stay unprocessed")
        .taking("nothing")
        .giving("operation", 202),
    route::post("/api/v1/operations/{id}/pause", "pauseOperation", pause_operation, "operations",
                "Begins nothing new until it is resumed")
        .taking("nothing")
        .giving("operation", 202),
    route::post("/api/v1/operations/{id}/resume", "resumeOperation", resume_operation, "operations",
                "Goes on with it")
        .taking("nothing")
        .giving("operation", 202),
    route::post("/api/v1/operations/{id}/signals", "sendSignal", post_signal, "operations",
                "Completes or fails the step of a row that waits")
        .taking("signal_request")
        .giving("signal_receipt", 202),

    route::get("/api/v1/files", "getFiles", get_files, "operations", "Uploaded files, oldest first")
        .giving("stored_file_list")
        .with(parameters::files),
    route::get("/api/v1/events", "getEvents", get_events, "events",
               "What happened, the oldest first; without `after` the newest")
        .giving("event_list")
        .with(parameters::all_events),
    route::get("/api/v1/events/stream", "streamEvents", stream_events, "events",
               "The same as it happens, as server-sent events")
        .giving_content("text/event-stream")
        .with(parameters::event_stream),
};

}  // namespace bulk::http::api
