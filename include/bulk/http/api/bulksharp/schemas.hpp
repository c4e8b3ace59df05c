// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/schema.hpp>

#include <array>

namespace bulk::http::api::bulksharp {

/// The types of BulkSharp's API by the names that generated clients have for them. A member with a `?`
/// behind its name can be null there, and is left out then.
inline constexpr std::array schemas{
    schema{"OperationDescriptorDto", "an operation type that files can be uploaded for",
           "name:text, description:text, isStepBased:truth, metadataType?:text, rowType?:text, "
           "typeFullName?:text, sourceService?:text, metadataFields:[OperationFieldDto], "
           "fileColumns:[OperationFieldDto]"},
    schema{"OperationFieldDto", "a metadata field or a column of the file",
           "name:text, type:text, required:truth"},
    schema{"BulkOperation", "an operation",
           "id:uuid, operationName:text, fileId:uuid, fileName:text, metadataJson:text, "
           "createdBy:text, source:text, notificationOptionsJson?:text, createdAt:moment, "
           "startedAt?:moment, completedAt?:moment, status:BulkOperationStatus, totalRows:int, "
           "processedRows:int, successfulRows:int, failedRows:int, retryCount:int, "
           "errorMessage?:text, fileSize:long, errorCount:int, rowVersion?:bytes"},
    schema{"BulkOperationPagedResult", "a page of operations",
           "items:[BulkOperation], totalCount:int, page:int, pageSize:int, hasNextPage:truth"},
    schema{"BulkStatusDto", "the progress of an operation",
           "status:BulkOperationStatus, processedRows:int, totalRows:int, errorCount:int, "
           "completedAt?:moment, progress:double"},
    schema{"CreateOperationResponse", "the id of the new operation", "operationId:uuid"},
    schema{"ValidationResponse", "what is wrong with metadata and file",
           "valid:truth, metadataErrors:[text], fileErrors:[text]"},
    schema{"RowErrorDto", "a failed row",
           "id:uuid, bulkOperationId:uuid, rowNumber:int, rowId?:text, errorType?:BulkErrorType, "
           "errorMessage?:text, rowData?:text, createdAt:moment"},
    schema{"RowErrorDtoPagedResult", "a page of failed rows",
           "items:[RowErrorDto], totalCount:int, page:int, pageSize:int, hasNextPage:truth"},
    schema{"RowProgressDto", "a row and its steps",
           "rowNumber:int, rowId?:text, currentStep:text, currentState:RowRecordState, "
           "completedSteps:int, totalSteps:int, steps:[RowStepDto]"},
    schema{"RowStepDto", "a row at a step",
           "stepName:text, state:RowRecordState, signalKey?:text, startedAt?:moment, "
           "completedAt?:moment, errorMessage?:text"},
    schema{"RowProgressDtoPagedResult", "a page of rows",
           "items:[RowProgressDto], totalCount:int, page:int, pageSize:int, hasNextPage:truth"},
    schema{"SignalFailureRequest", "why the step fails", "errorMessage:text"},
    schema{"SignalResponse", "the step that was signalled",
           "rowNumber:int, step:text, completed:truth, failed:truth, error?:text, "
           "crossProcess:truth"},
    schema{"RetryRowsRequest", "the rows to retry", "rowNumbers:[int]"},
    schema{"RetrySubmission", "the rows that are retried, and why others are not",
           "operationId:uuid, rowsSubmitted:int, rowsSkipped:int, skippedReasons?:[text]"},
    schema{"RetryEligibility", "whether the operation can be retried",
           "isEligible:truth, reason?:text"},
    schema{"BulkRowRetryHistory", "a failure that was retried",
           "id:uuid, bulkOperationId:uuid, rowNumber:int, stepIndex:int, attempt:int, "
           "errorType?:BulkErrorType, errorMessage?:text, failedAt:moment, rowData?:text"},
    schema{"BulkRowRetryHistoryPagedResult", "a page of them",
           "items:[BulkRowRetryHistory], totalCount:int, page:int, pageSize:int, "
           "hasNextPage:truth"},
    schema{"OperationEventDto", "something that happened to an operation",
           "sequence:long, operationId:uuid, operationName:text, type:text, "
           "severity:OperationEventSeverity, message:text, timestamp:moment"},
    schema{"older_refusal", "why a request was refused", "error:text"},
};

}  // namespace bulk::http::api::bulksharp
