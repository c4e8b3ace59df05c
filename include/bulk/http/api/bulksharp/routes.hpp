// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/bulksharp/events.hpp>
#include <bulk/http/api/bulksharp/intake.hpp>
#include <bulk/http/api/bulksharp/operations.hpp>
#include <bulk/http/api/bulksharp/retries.hpp>
#include <bulk/http/api/bulksharp/rows.hpp>
#include <bulk/http/api/bulksharp/signals.hpp>
#include <bulk/http/api/route.hpp>

#include <array>

namespace bulk::http::api::bulksharp {

namespace parameters {

inline constexpr parameter page{"page", "int", "default: 1"};
inline constexpr parameter page_size{"pageSize", "int", "brought between 1 and 200"};
inline constexpr std::array bulks{
    parameter{"operationName", "text", "part of the operation type, in any case"},
    parameter{"createdBy", "text", "part of the creator's name, in any case"},
    parameter{"status", "BulkOperationStatus", "filter by status"},
    parameter{"fromDate", "moment", "created at or after"},
    parameter{"toDate", "moment", "created at or before"},
    page,
    page_size,
    parameter{"sortBy", "text",
              "CreatedAt (default), OperationName, Status, TotalRows or ProcessedRows"},
    parameter{"sortDescending", "truth", "default: true"},
    parameter{"source", "text", "name of the service that created the operation"}};
inline constexpr std::array bulk_errors{
    parameter{"rowNumber", "int", "filter by row"},
    parameter{"rowId", "text", "part of the row id, in any case"},
    parameter{"errorType", "text", "a BulkErrorType; unknown names are ignored"},
    page,
    page_size,
    parameter{"sortBy", "text",
              "RowNumber (default), RowId, StepName, State, ErrorType, CreatedAt"},
    parameter{"sortDescending", "truth", "default: false"}};
inline constexpr std::array bulk_rows{
    parameter{"rowId", "text", "part of the row id, in any case"},
    parameter{"state", "text", "a RowRecordState; unknown names are ignored"},
    parameter{"stepName", "text", "rows with a record of this step"}, page, page_size};
inline constexpr std::array bulk_export{
    parameter{"mode", "text", "report (default) or data"},
    parameter{"format", "text", "csv (default) or json"},
    parameter{"state", "text", "a RowRecordState; unknown names are ignored"},
    parameter{"errorType", "text", "a BulkErrorType; unknown names are ignored"},
    parameter{"stepName", "text", "rows whose last step this is"}};
inline constexpr std::array bulk_history{parameter{"rowNumber", "int", "filter by row"}, page,
                                         page_size};
inline constexpr std::array bulk_events{
    parameter{"since", "long", "events after this sequence; default: the newest events"},
    parameter{"limit", "int", "default 100, brought between 1 and 500"}};

}  // namespace parameters

/// How BulkSharp refuses: an object with `error`, a text, or no body at all.
namespace answers {

inline constexpr std::array unknown{other_answer{404, "Operation not found", {}, {}}};
inline constexpr std::array file{other_answer{206, "Part of the file", {}, "*/*"},
                                 other_answer{304, "Not modified", {}, {}},
                                 other_answer{404, "Operation or file not found", {}, {}}};
inline constexpr std::array unknown_name{other_answer{404, "Operation type not found", "text"}};
inline constexpr std::array no_waiter{
    other_answer{404, "No step is waiting for the signal", "older_refusal"}};
inline constexpr std::array wrong{other_answer{400, "Invalid request", "older_refusal"}};
inline constexpr std::array wrong_text{other_answer{400, "Invalid form", "text"},
                                       other_answer{422, "Idempotency key already used", "text"}};
inline constexpr std::array wrong_either{other_answer{400, "Invalid form", "older_refusal|text"}};
inline constexpr std::array wrong_or_no_waiter{
    other_answer{400, "Invalid request", "older_refusal"},
    other_answer{404, "No step is waiting for the signal", "older_refusal"}};

}  // namespace answers

/// The routes of BulkSharp's REST API, so that its clients can be pointed at us. An `{id}` is a GUID:
/// with anything else there is no such route.
inline constexpr std::array routes{
    route::get("/api/operations", "olderGetOperations", get_operations, bulksharp_topic,
               "List operation types")
        .giving("[OperationDescriptorDto]"),
    route::get("/api/operations/{name}/template", "olderGetOperationTemplate", get_template,
               bulksharp_topic, "Download a CSV file with the header of an operation type")
        .giving_content("text/csv")
        .or_else(answers::unknown_name),
    route::get("/api/bulks", "olderGetBulks", get_bulks, bulksharp_topic, "List operations")
        .giving("BulkOperationPagedResult")
        .with(parameters::bulks)
        .or_else(answers::wrong),
    route::post("/api/bulks", "olderCreateBulk", create_bulk, bulksharp_topic, "Upload a file")
        .taking_upload()
        .giving("CreateOperationResponse")
        .or_else(answers::wrong_text),
    route::post("/api/bulks/validate", "olderValidateBulk", validate_bulk, bulksharp_topic,
                "Validate a file and its metadata without creating an operation")
        .taking_upload()
        .giving("ValidationResponse")
        .or_else(answers::wrong_either),
    route::get("/api/bulks/{id}", "olderGetBulk", get_bulk, bulksharp_topic, "Get an operation")
        .giving("BulkOperation")
        .or_else(answers::unknown),
    route::get("/api/bulks/{id}/status", "olderGetBulkStatus", get_status, bulksharp_topic,
               "Get the progress of an operation")
        .giving("BulkStatusDto")
        .or_else(answers::unknown),
    route::get("/api/bulks/{id}/errors", "olderGetBulkErrors", get_errors, bulksharp_topic,
               "List failed rows")
        .giving("RowErrorDtoPagedResult")
        .with(parameters::bulk_errors)
        .or_else(answers::wrong),
    route::get("/api/bulks/{id}/rows", "olderGetBulkRows", get_rows, bulksharp_topic,
               "List rows and their steps")
        .giving("RowProgressDtoPagedResult")
        .with(parameters::bulk_rows)
        .or_else(answers::wrong),
    route::get("/api/bulks/{id}/file", "olderGetBulkFile", get_file, bulksharp_topic,
               "Download the uploaded file")
        .needing(right::files)
        .giving_content("*/*")
        .or_else(answers::file),
    route::get("/api/bulks/{id}/export", "olderExportBulk", export_bulk, bulksharp_topic,
               "Download a report of the rows, or the rows themselves")
        .giving_content("text/csv, text/tab-separated-values, application/json")
        .with(parameters::bulk_export)
        .or_else(answers::wrong),
    route::post("/api/bulks/{id}/cancel", "olderCancelBulk", cancel_bulk, bulksharp_topic,
                "Cancel an operation")
        .taking("nothing")
        .giving_nothing(200),
    route::post("/api/bulks/{id}/signal/{key}", "olderSignalStep", signal_step, bulksharp_topic,
                "Complete a step that waits for a signal")
        .taking("nothing")
        .giving("SignalResponse")
        .or_else(answers::no_waiter),
    route::post("/api/bulks/{id}/signal/{key}/fail", "olderFailStep", fail_step, bulksharp_topic,
                "Fail a step that waits for a signal")
        .taking("SignalFailureRequest")
        .giving("SignalResponse")
        .or_else(answers::wrong_or_no_waiter),
    route::post("/api/bulks/{id}/retry", "olderRetryBulk", retry_bulk, bulksharp_topic,
                "Retry all failed rows")
        .taking("nothing")
        .giving("RetrySubmission")
        .or_else(answers::wrong),
    route::post("/api/bulks/{id}/retry/rows", "olderRetryBulkRows", retry_bulk_rows,
                bulksharp_topic, "Retry some failed rows")
        .taking("RetryRowsRequest")
        .giving("RetrySubmission")
        .or_else(answers::wrong),
    route::get("/api/bulks/{id}/retry/eligibility", "olderGetRetryEligibility", get_eligibility,
               bulksharp_topic, "Say whether an operation can be retried")
        .giving("RetryEligibility"),
    route::get("/api/bulks/{id}/retry/history", "olderGetRetryHistory", get_history,
               bulksharp_topic, "List failures that were retried")
        .giving("BulkRowRetryHistoryPagedResult")
        .with(parameters::bulk_history)
        .or_else(answers::wrong),
    route::get("/api/bulks/{id}/events", "olderGetBulkEvents", get_bulk_events, bulksharp_topic,
               "List events of an operation")
        .giving("[OperationEventDto]")
        .with(parameters::bulk_events)
        .or_else(answers::wrong),
    route::get("/api/events", "olderGetEvents", get_events, bulksharp_topic,
               "List events of all operations")
        .giving("[OperationEventDto]")
        .with(parameters::bulk_events)
        .or_else(answers::wrong),
    route::get("/openapi/v1.json", "olderGetOpenApi", get_open_api, bulksharp_topic,
               "Get this document")
        .giving("anything"),
};

}  // namespace bulk::http::api::bulksharp
