// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/handlers/older.hpp>
#include <bulk/http/api/handlers/older_intake.hpp>
#include <bulk/http/api/handlers/older_rows.hpp>
#include <bulk/http/api/route.hpp>

#include <array>

namespace bulk::http::api {

namespace parameters {

inline constexpr parameter page{"page", "int", "default: 1"};
inline constexpr parameter older_page_size{"pageSize", "int", "brought between 1 and 200"};
inline constexpr std::array bulks{
    parameter{"operationName", "text", "part of the operation type, in any case"},
    parameter{"createdBy", "text", "part of the creator's name, in any case"},
    parameter{"status", "BulkOperationStatus", "filter by status"},
    parameter{"fromDate", "moment", "created at or after"},
    parameter{"toDate", "moment", "created at or before"},
    page,
    older_page_size,
    parameter{"sortBy", "text",
              "CreatedAt (default), OperationName, Status, TotalRows or ProcessedRows"},
    parameter{"sortDescending", "truth", "default: true"},
    parameter{"source", "text", "name of the service that created the operation"}};
inline constexpr std::array bulk_errors{
    parameter{"rowNumber", "int", "filter by row"},
    parameter{"rowId", "text", "part of the row id, in any case"},
    parameter{"errorType", "text", "a BulkErrorType; unknown names are ignored"},
    page,
    older_page_size,
    parameter{"sortBy", "text",
              "RowNumber (default), RowId, StepName, State, ErrorType, CreatedAt"},
    parameter{"sortDescending", "truth", "default: false"}};
inline constexpr std::array bulk_rows{
    parameter{"rowId", "text", "part of the row id, in any case"},
    parameter{"state", "text", "a RowRecordState; unknown names are ignored"},
    parameter{"stepName", "text", "rows with a record of this step"}, page, older_page_size};
inline constexpr std::array bulk_export{
    parameter{"mode", "text", "report (default) or data"},
    parameter{"format", "text", "csv (default) or json"},
    parameter{"state", "text", "a RowRecordState; unknown names are ignored"},
    parameter{"errorType", "text", "a BulkErrorType; unknown names are ignored"},
    parameter{"stepName", "text", "rows whose last step this is"}};
inline constexpr std::array bulk_history{parameter{"rowNumber", "int", "filter by row"}, page,
                                         older_page_size};
inline constexpr std::array bulk_events{
    parameter{"since", "long", "events after this sequence; default: the newest events"},
    parameter{"limit", "int", "default 100, brought between 1 and 500"}};

}  // namespace parameters

/// How BulkSharp refuses: an object with `error`, a text, or no body at all.
namespace older_answers {

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

}  // namespace older_answers

/// The routes of BulkSharp's REST API, so that its clients can be pointed at us. An `{id}` is a GUID:
/// with anything else there is no such route.
inline constexpr std::array older_routes{
    route::get("/api/operations", "olderGetOperations", older_get_operations, older,
               "List operation types")
        .giving("[OperationDescriptorDto]"),
    route::get("/api/operations/{name}/template", "olderGetOperationTemplate", older_get_template,
               older, "Download a CSV file with the header of an operation type")
        .giving_content("text/csv")
        .or_else(older_answers::unknown_name),
    route::get("/api/bulks", "olderGetBulks", older_get_bulks, older, "List operations")
        .giving("BulkOperationPagedResult")
        .with(parameters::bulks)
        .or_else(older_answers::wrong),
    route::post("/api/bulks", "olderCreateBulk", older_create, older, "Upload a file")
        .taking_upload()
        .giving("CreateOperationResponse")
        .or_else(older_answers::wrong_text),
    route::post("/api/bulks/validate", "olderValidateBulk", older_validate, older,
                "Validate a file and its metadata without creating an operation")
        .taking_upload()
        .giving("ValidationResponse")
        .or_else(older_answers::wrong_either),
    route::get("/api/bulks/{id}", "olderGetBulk", older_get_bulk, older, "Get an operation")
        .giving("BulkOperation")
        .or_else(older_answers::unknown),
    route::get("/api/bulks/{id}/status", "olderGetBulkStatus", older_get_status, older,
               "Get the progress of an operation")
        .giving("BulkStatusDto")
        .or_else(older_answers::unknown),
    route::get("/api/bulks/{id}/errors", "olderGetBulkErrors", older_get_errors, older,
               "List failed rows")
        .giving("RowErrorDtoPagedResult")
        .with(parameters::bulk_errors)
        .or_else(older_answers::wrong),
    route::get("/api/bulks/{id}/rows", "olderGetBulkRows", older_get_rows, older,
               "List rows and their steps")
        .giving("RowProgressDtoPagedResult")
        .with(parameters::bulk_rows)
        .or_else(older_answers::wrong),
    route::get("/api/bulks/{id}/file", "olderGetBulkFile", older_get_file, older,
               "Download the uploaded file")
        .needing(right::files)
        .giving_content("*/*")
        .or_else(older_answers::file),
    route::get("/api/bulks/{id}/export", "olderExportBulk", older_export, older,
               "Download a report of the rows, or the rows themselves")
        .giving_content("text/csv, text/tab-separated-values, application/json")
        .with(parameters::bulk_export)
        .or_else(older_answers::wrong),
    route::post("/api/bulks/{id}/cancel", "olderCancelBulk", older_cancel, older,
                "Cancel an operation")
        .taking("nothing")
        .giving_nothing(200),
    route::post("/api/bulks/{id}/signal/{key}", "olderSignalStep", older_signal, older,
                "Complete a step that waits for a signal")
        .taking("nothing")
        .giving("SignalResponse")
        .or_else(older_answers::no_waiter),
    route::post("/api/bulks/{id}/signal/{key}/fail", "olderFailStep", older_fail_signal, older,
                "Fail a step that waits for a signal")
        .taking("SignalFailureRequest")
        .giving("SignalResponse")
        .or_else(older_answers::wrong_or_no_waiter),
    route::post("/api/bulks/{id}/retry", "olderRetryBulk", older_retry, older,
                "Retry all failed rows")
        .taking("nothing")
        .giving("RetrySubmission")
        .or_else(older_answers::wrong),
    route::post("/api/bulks/{id}/retry/rows", "olderRetryBulkRows", older_retry_rows, older,
                "Retry some failed rows")
        .taking("RetryRowsRequest")
        .giving("RetrySubmission")
        .or_else(older_answers::wrong),
    route::get("/api/bulks/{id}/retry/eligibility", "olderGetRetryEligibility",
               older_get_eligibility, older, "Say whether an operation can be retried")
        .giving("RetryEligibility"),
    route::get("/api/bulks/{id}/retry/history", "olderGetRetryHistory", older_get_history, older,
               "List failures that were retried")
        .giving("BulkRowRetryHistoryPagedResult")
        .with(parameters::bulk_history)
        .or_else(older_answers::wrong),
    route::get("/api/bulks/{id}/events", "olderGetBulkEvents", older_get_bulk_events, older,
               "List events of an operation")
        .giving("[OperationEventDto]")
        .with(parameters::bulk_events)
        .or_else(older_answers::wrong),
    route::get("/api/events", "olderGetEvents", older_get_events, older,
               "List events of all operations")
        .giving("[OperationEventDto]")
        .with(parameters::bulk_events)
        .or_else(older_answers::wrong),
    route::get("/openapi/v1.json", "olderGetOpenApi", older_get_open_api, older,
               "Get this document")
        .giving("anything"),
};

}  // namespace bulk::http::api
