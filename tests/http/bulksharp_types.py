"""The types of BulkSharp's HTTP API, from its own contract: what one of its clients can read, and no more.

  bulksharp_types.py    prints the tables of docs/bulksharp.md

A field is `name: type`, or `name?: type` if its type there can be null; a null is left out. Types are JSON types with
the width or format that the client's language gives them, a type or an enumeration of this file, or a list of one.
"""

import base64
import datetime
import re

ENUMS = {
    "BulkOperationStatus": "Pending Validating Running Completed CompletedWithErrors Failed Cancelled Retrying".split(),
    "RowRecordState": "Pending Running WaitingForCompletion Completed Failed TimedOut".split(),
    "BulkErrorType": "None Validation Processing StepFailure Timeout SignalFailure".split(),
    "OperationEventSeverity": "Info Warning Error".split(),
}

PAGE = "totalCount: int32, page: int32, pageSize: int32, hasNextPage: boolean"
TYPES = {
    "OperationDescriptorDto": "name: string, description: string, isStepBased: boolean, metadataType?: string, "
                              "rowType?: string, typeFullName?: string, sourceService?: string, "
                              "metadataFields: OperationFieldDto[], fileColumns: OperationFieldDto[]",
    "OperationFieldDto": "name: string, type: string, required: boolean",
    "BulkOperation": "id: guid, operationName: string, fileId: guid, fileName: string, metadataJson: string, "
                     "createdBy: string, source: string, notificationOptionsJson?: string, createdAt: datetime, "
                     "startedAt?: datetime, completedAt?: datetime, status: BulkOperationStatus, totalRows: int32, "
                     "processedRows: int32, successfulRows: int32, failedRows: int32, retryCount: int32, "
                     "errorMessage?: string, fileSize: int64, errorCount: int32, rowVersion?: base64",
    "BulkOperationPagedResult": "items: BulkOperation[], " + PAGE,
    "BulkStatusDto": "status: BulkOperationStatus, processedRows: int32, totalRows: int32, errorCount: int32, "
                     "completedAt?: datetime, progress: double",
    "CreateOperationResponse": "operationId: guid",
    "ValidationResponse": "valid: boolean, metadataErrors: string[], fileErrors: string[]",
    "RowErrorDto": "id: guid, bulkOperationId: guid, rowNumber: int32, rowId?: string, errorType?: BulkErrorType, "
                   "errorMessage?: string, rowData?: string, createdAt: datetime",
    "RowErrorDtoPagedResult": "items: RowErrorDto[], " + PAGE,
    "RowProgressDto": "rowNumber: int32, rowId?: string, currentStep: string, currentState: RowRecordState, "
                      "completedSteps: int32, totalSteps: int32, steps: RowStepDto[]",
    "RowStepDto": "stepName: string, state: RowRecordState, signalKey?: string, startedAt?: datetime, "
                  "completedAt?: datetime, errorMessage?: string",
    "RowProgressDtoPagedResult": "items: RowProgressDto[], " + PAGE,
    "SignalFailureRequest": "errorMessage: string",
    "SignalResponse": "rowNumber: int32, step: string, completed: boolean, failed: boolean, error?: string, "
                      "crossProcess: boolean",
    "RetryRowsRequest": "rowNumbers: int32[]",
    "RetrySubmission": "operationId: guid, rowsSubmitted: int32, rowsSkipped: int32, skippedReasons?: string[]",
    "RetryEligibility": "isEligible: boolean, reason?: string",
    "BulkRowRetryHistory": "id: guid, bulkOperationId: guid, rowNumber: int32, stepIndex: int32, attempt: int32, "
                           "errorType?: BulkErrorType, errorMessage?: string, failedAt: datetime, rowData?: string",
    "BulkRowRetryHistoryPagedResult": "items: BulkRowRetryHistory[], " + PAGE,
    "OperationEventDto": "sequence: int64, operationId: guid, operationName: string, type: string, "
                         "severity: OperationEventSeverity, message: string, timestamp: datetime",
    # What it refuses with, where that is an object.
    "Error": "error: string",
}

FORM = "form: operationName, metadata, createdBy, notifications, file"
CHECK_FORM = "form: operationName, metadata, file"
# operationId, method, path, query, body, answer (200), refusals. An answer is a type, `text` (a JSON string), `file` or
# `nothing`.
ROUTES = [
    ("getOperations", "GET", "/api/operations", "", "", "OperationDescriptorDto[]", {}),
    ("getOperationTemplate", "GET", "/api/operations/{name}/template", "", "", "file", {404: "text"}),
    ("getBulks", "GET", "/api/bulks",
     "operationName: string, createdBy: string, status: BulkOperationStatus, fromDate: datetime, toDate: datetime, "
     "page: int32, pageSize: int32, sortBy: string, sortDescending: boolean, source: string", "",
     "BulkOperationPagedResult", {400: "Error"}),
    ("createBulk", "POST", "/api/bulks", "", FORM, "CreateOperationResponse", {400: "text"}),
    ("validateBulk", "POST", "/api/bulks/validate", "", CHECK_FORM, "ValidationResponse", {400: "Error or text"}),
    ("getBulk", "GET", "/api/bulks/{id}", "", "", "BulkOperation", {404: "nothing"}),
    ("getBulkStatus", "GET", "/api/bulks/{id}/status", "", "", "BulkStatusDto", {404: "nothing"}),
    ("getBulkErrors", "GET", "/api/bulks/{id}/errors",
     "rowNumber: int32, rowId: string, errorType: string, page: int32, pageSize: int32, sortBy: string, "
     "sortDescending: boolean", "", "RowErrorDtoPagedResult", {400: "Error"}),
    ("getBulkRows", "GET", "/api/bulks/{id}/rows",
     "rowId: string, state: string, stepName: string, page: int32, pageSize: int32", "", "RowProgressDtoPagedResult",
     {400: "Error"}),
    ("getBulkFile", "GET", "/api/bulks/{id}/file", "", "", "file", {404: "nothing"}),
    ("exportBulk", "GET", "/api/bulks/{id}/export",
     "mode: string, format: string, state: string, errorType: string, stepName: string", "", "file", {400: "Error"}),
    ("cancelBulk", "POST", "/api/bulks/{id}/cancel", "", "", "nothing", {}),
    ("signalStep", "POST", "/api/bulks/{id}/signal/{key}", "", "", "SignalResponse", {404: "Error"}),
    ("failStep", "POST", "/api/bulks/{id}/signal/{key}/fail", "", "SignalFailureRequest", "SignalResponse",
     {400: "Error", 404: "Error"}),
    ("retryBulk", "POST", "/api/bulks/{id}/retry", "", "", "RetrySubmission", {400: "Error"}),
    ("retryBulkRows", "POST", "/api/bulks/{id}/retry/rows", "", "RetryRowsRequest", "RetrySubmission", {400: "Error"}),
    ("getRetryEligibility", "GET", "/api/bulks/{id}/retry/eligibility", "", "", "RetryEligibility", {}),
    ("getRetryHistory", "GET", "/api/bulks/{id}/retry/history", "rowNumber: int32, page: int32, pageSize: int32", "",
     "BulkRowRetryHistoryPagedResult", {400: "Error"}),
    ("getBulkEvents", "GET", "/api/bulks/{id}/events", "since: int64, limit: int32", "", "OperationEventDto[]",
     {400: "Error"}),
    ("getEvents", "GET", "/api/events", "since: int64, limit: int32", "", "OperationEventDto[]", {400: "Error"}),
]

# The first line of a report as CSV, and the members of a report as JSON, in front of the row's own columns.
REPORT = {"RowNumber": "int32", "RowId": "string?", "State": "RowRecordState", "StepName": "string?",
          "StepIndex": "int32", "ErrorType": "BulkErrorType?", "ErrorMessage": "string?", "RetryAttempt": "int32",
          "CreatedAt": "datetime", "CompletedAt": "datetime?"}
# What its routes, rows and events say, word by word. `{…}` is a value of the request or of the operation.
TEXTS = {
    "getOperationTemplate 404": "Operation '{name}' not found",
    "createBulk 400, no form": "Form data required",
    "createBulk 400, no file": "File is required",
    "createBulk 400, no operationName": "Operation name is required",
    "createBulk 400, no createdBy": "Created by is required",
    "createBulk 400, long operationName": "Operation name must not exceed 200 characters",
    "createBulk 400, long createdBy": "Created by must not exceed 200 characters",
    "createBulk 400, long metadata": "Metadata JSON must not exceed 1 MB",
    "createBulk 400, wrong notifications": "Invalid notifications JSON",
    "validateBulk 400": "Operation name is required",
    "validateBulk metadataErrors, unknown operation": "Operation '{name}' not found",
    "signalStep 404, failStep 404": "No waiting step found for signal key '{key}'",
    "errorMessage of a row, timed out": "Step '{step}' timed out waiting for completion",
    "exportBulk 400, unknown operation": "Operation {id} not found",
    "retryBulk 400, retryBulkRows 400": "Cannot retry operation: {reason}",
    "reason, unknown operation": "Operation not found",
    "reason, wrong status": "Operation is in {status} state, must be CompletedWithErrors",
    "reason, not retryable": "Operation is not retryable (IsRetryable = false)",
    "reason, no such rows": "No retryable failed rows found (validation failures cannot be retried)",
    "skippedReasons": "Row {row}: step '{step}' does not allow operation retry",
    "event Created": "Operation created",
    "event StatusChanged": "{previous} to {status}",
    "event Completed": "{successful}/{total} rows succeeded in {duration}",
    "event Failed": "{errorMessage}",
    "event RowFailed": "Row {row}: {errorMessage}",
}

# What BulkSharp does not have: parameters, and bodies of refusals that have none there (ASP.NET refuses before its
# routes are reached). The tables mark them with `*`.
OURS = {("getBulks", "source"),
        *((operation, 400) for operation in ["getBulks", "getBulkErrors", "getBulkRows", "failStep", "getRetryHistory",
                                             "getBulkEvents", "getEvents"])}

# Event types that its documents name; ours has two more, which docs/bulksharp.md gives the reason of.
EVENTS = {"Created", "StatusChanged", "Completed", "Failed", "RowFailed"} | {"Cancelled", "Requested"}

WIDTHS = {"int32": 2**31, "int64": 2**63}
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z")


def fields(of):
    """(name, type, can be null) of each."""
    for each in of.split(", "):
        name, kind = each.split(": ")
        yield name.removesuffix("?"), kind, name.endswith("?")


def problems_of(value, kind, where, seen):
    """What a client that has these types and nothing else could not read. `seen` gets every field and enum value."""
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return [f"{where} is no list: {value!r}"]
        return [problem for i, each in enumerate(value)
                for problem in problems_of(each, kind[:-2], f"{where}[{i}]", seen)]
    if kind in TYPES:
        if not isinstance(value, dict):
            return [f"{where} is no {kind}: {value!r}"]
        found, known = [], set()
        for name, of, can_be_null in fields(TYPES[kind]):
            known.add(name)
            if name in value:
                seen.add(f"{kind}.{name}")
                found += problems_of(value[name], of, f"{where}.{name}", seen)
            elif not can_be_null:
                found.append(f"{where} has no {name}, which {kind} requires")
        return found + [f"{where}.{name} is no field of {kind}" for name in value if name not in known]
    if kind in ENUMS:
        seen.add(f"{kind} {value}")
        return [] if value in ENUMS[kind] else [f"{where} is no {kind}: {value!r}"]
    if kind in WIDTHS:
        is_right = type(value) is int and -WIDTHS[kind] <= value < WIDTHS[kind]
    elif kind == "double":
        is_right = type(value) in (int, float)
    elif kind == "boolean":
        is_right = type(value) is bool
    elif not isinstance(value, str):
        is_right = False
    elif kind == "guid":
        is_right = GUID.fullmatch(value) is not None
    elif kind == "datetime":
        is_right = MOMENT.fullmatch(value) is not None
        if is_right:
            datetime.datetime.fromisoformat(value[:19])  # a day that there is
    elif kind == "base64":
        is_right = base64.b64encode(base64.b64decode(value, validate=True)).decode() == value
    else:
        is_right = kind == "string"
    return [] if is_right else [f"{where} is no {kind}: {value!r}"]


SCHEMAS = {"string": {"type": "string"}, "boolean": {"type": "boolean"},
           "int32": {"type": "integer", "format": "int32"}, "int64": {"type": "integer", "format": "int64"},
           "double": {"type": "number", "format": "double"}, "guid": {"type": "string", "format": "uuid"},
           "datetime": {"type": "string", "format": "date-time"}, "base64": {"type": "string", "format": "byte"},
           "text": {"type": "string"}}


def schema_of(kind):
    """How an OpenAPI document says it."""
    if kind.endswith("[]"):
        return {"type": "array", "items": schema_of(kind[:-2])}
    if " or " in kind:
        return {"anyOf": [schema_of(each) for each in kind.split(" or ")]}
    if kind in SCHEMAS:
        return SCHEMAS[kind]
    return {"$ref": "#/components/schemas/" + ("older_refusal" if kind == "Error" else kind)}


def tables():
    """As docs/bulksharp.md has them."""
    lines = ["| route | operationId | request | answer | refusals |", "|---|---|---|---|---|"]
    for operation, verb, path, query, body, answer, refusals in ROUTES:
        def marked(name, text, of=operation):
            return text + ("*" if (of, name) in OURS else "")
        names = [marked(name, name) for name, _, _ in fields(query)] if query else []
        request = "; ".join(filter(None, [names and "query: " + ", ".join(names), body]))
        refused = ", ".join(marked(status, f"{status} {shape}") for status, shape in refusals.items())
        lines.append(f"| `{verb} {path}` | {operation} | {request} | {answer} | {refused} |")
    lines += ["", "| type | field | JSON | null |", "|---|---|---|---|"]
    for kind, members in TYPES.items():
        for name, of, can_be_null in fields(members):
            lines.append(f"| {kind} | {name} | {of} | {'left out' if can_be_null else 'never'} |")
    lines += ["", "| enumeration | values |", "|---|---|"]
    lines += [f"| {name} | {', '.join(values)} |" for name, values in ENUMS.items()]
    lines += ["", "| where | text |", "|---|---|"]
    lines += [f"| {where} | `{text}` |" for where, text in TEXTS.items()]
    lines += ["", "| report column | JSON |", "|---|---|"]
    lines += [f"| {name} | {kind} |" for name, kind in REPORT.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(tables(), end="")
