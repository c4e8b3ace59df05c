// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace bulk::http::api {

/// The form of an object: `name:type` by commas. A type is one of text, whole (a number), count (a
/// number of up to 64 bits, as a string of digits), number, truth, moment, uuid, object (any members),
/// anything, int, long, double and bytes (of .NET), or the name of a schema or an enumeration; `?` behind
/// it may be null, brackets around it make a list, `|` is either. All members are always there, except those of requests, which may be left out unless
/// they have a `!`.
struct schema {
    std::string_view name{};
    std::string_view about{};
    std::string_view members{};
};

inline constexpr std::array schemas{
    schema{"problem", "why a request was not answered as it asked (RFC 9457)",
           "type:text, title:text, status:whole, detail:text, field?:text, instance:text"},
    schema{"health", "whether it is well", "status:text, detail:text?"},
    schema{"index", "what this is, and who asks",
           "name:text, version:text, read_only:truth, principal:principal, links:object"},
    schema{"principal", "who asks", "name:text, may_operate:truth, may_read_files:truth"},
    schema{"nothing", "no members", ""},
    schema{"overview", "what there is, how fast it goes, and what needs attention",
           "states:object, attention:[operation], attention_runs:[run], throughput:throughput, "
           "step_latency:[step_latency], running_operations:whole, queue_depth:whole"},
    schema{"throughput", "of all processes together", "rows_per_s:number"},
    schema{"step_latency", "how long a step takes in this process",
           "type:text, step:text, p50_ms:number, p95_ms:number, count:count"},
    schema{"worker", "a service of a process that works, as it has last said itself",
           "id:uuid, kind:worker_kind, name:text, host:text, pid:whole, started_at:moment, "
           "last_seen:moment, is_silent:truth, running_operations:whole, running_pages:whole"},
    schema{"worker_list", "all of them", "items:[worker], next:text?, total:count?"},

    schema{"operation_type", "what can be done with a file",
           "name:text, description:text, is_pipeline:truth, retryable:truth, track_row_data:truth, "
           "max_failed_rows:count?, max_failed_ratio:number?, metadata:[metadata_field], "
           "columns:[column], steps:[step]"},
    schema{"metadata_field", "what is said once for a whole file",
           "name:text, type:text, required:truth, description:text, choices:[text]"},
    schema{"column", "what each row has",
           "name:text, type:text, required:truth, nullable:truth, hidden:truth, format:text?, "
           "row_id:truth, unique:truth, choices:[text]"},
    schema{"step", "what each row goes through",
           "index:whole, name:text, kind:step_kind, max_retries:whole, poll_interval_ms:whole?, "
           "timeout_ms:whole?, allow_operation_retry:truth"},
    schema{"operation_type_list", "all of them",
           "items:[operation_type], next:text?, total:count?"},

    schema{"operation", "one file on its way",
           "id:uuid, type:text, state:operation_state, paused:truth, cancel_requested:truth, "
           "file:file, metadata:object?, created_by:text?, source:text?, idempotency_key:text?, "
           "rows:row_counts, percent:number, rate:number?, eta:whole?, retry_count:whole, "
           "error:text?, created_at:moment, started_at:moment?, run_started_at:moment?, "
           "completed_at:moment?, version:count, steps:[step_name], links:object"},
    schema{"file", "as it was uploaded", "id:text?, name:text, size:count"},
    schema{"stored_file", "an uploaded file",
           "id:text, name:text, size:count, content_type:text, uploaded_by:text?, "
           "stored_at:moment"},
    schema{"stored_file_list", "a page of files", "items:[stored_file], next:text?, total:count?"},
    schema{"row_counts", "total is null until all rows are validated",
           "total:count?, processed:count, succeeded:count, failed:count, unprocessed:count"},
    schema{"step_name", "a step of the operation", "index:whole, name:text, kind:step_kind?"},
    schema{"operation_list", "a page of them", "items:[operation], next:text?, total:count?"},
    schema{"status", "how far an operation is",
           "id:uuid, state:operation_state, paused:truth, cancel_requested:truth, rows:row_counts, "
           "percent:number, rate:number?, eta:whole?, error:text?, version:count"},

    schema{"row", "a row of the file, by the last step that it reached",
           "row:count, row_id:text?, state:row_state, step:text?, step_index:whole?, error:text?, "
           "failure:error_type?, data:object?, steps:[step_record]"},
    schema{"step_record", "a row at a step; -1 is its validation",
           "step:text, step_index:whole, state:row_state, attempt:whole, retry_attempt:whole, "
           "failure:error_type?, error:text?, signal_key:text?, started_at:moment?, "
           "completed_at:moment?, wait_until:moment?"},
    schema{"row_list", "a page of them", "items:[row], next:text?, total:count?"},
    schema{
        "row_error", "a row that failed",
        "row:count, row_id:text?, step:text, step_index:whole, failure:error_type?, error:text?, "
        "state:row_state, attempt:whole, retry_attempt:whole, completed_at:moment?, "
        "data:object?"},
    schema{"error_list", "a page of them", "items:[row_error], next:text?, total:count?"},
    schema{"error_group", "errors that say the same of different rows",
           "count:count, step:text, step_index:whole, failure:error_type?, pattern:text, "
           "sample:text, first_row:count"},
    schema{"error_group_list", "all of them", "items:[error_group], next:text?, total:count?"},
    schema{"dry_run", "what a run of the file would find out before its first step",
           "is_valid:truth, rows:count, bad_rows:count, metadata_error:text?, file_error:text?, "
           "operation_error:text?, errors:[dry_run_error], groups:[error_group]"},
    schema{"dry_run_error", "the first hundred",
           "row:count, row_id:text?, line:count?, column:text?, cell:text?, failure:error_type?, "
           "message:text"},
    schema{
        "event", "something that happened",
        "sequence:count, kind:event_kind, level:severity, operation:uuid?, run:uuid?, name:text, "
        "state:operation_state?, previous:operation_state?, row:count?, failure:error_type?, "
        "message:text, time:moment, error:text?, created_by:text?, file_name:text?, "
        "metadata:object?, rows:row_counts?, duration_ms:count?"},
    schema{"event_list", "a page of them", "items:[event], next:text?, total:count?"},

    schema{"retry_request", "rows, or what they have in common; nothing is all that failed",
           "rows:[count], step:text, failure:error_type, group:text"},
    schema{"retry_answer", "what came of it",
           "submitted:count, skipped:count, resumed:count, reasons:[text]"},
    schema{"retry_eligibility", "whether it can be retried", "is_eligible:truth, reason:text?"},
    schema{"retry_entry", "a failed attempt of a row that was retried since",
           "row:count, step:text, step_index:whole, retry_attempt:whole, failure:error_type?, "
           "error:text?, failed_at:moment?, data:object?"},
    schema{"retry_entry_list", "a page of them", "items:[retry_entry], next:text?, total:count?"},
    schema{"signal_request", "for the row that has waited longest for the key, or for one row",
           "key:text!, row:count, failure:text"},
    schema{"signal_receipt", "is_kept: nobody waits yet; the next that does gets it",
           "is_kept:truth, row:count?, step:text?, step_index:whole?"},

    schema{"feed", "a source that is fetched in partitions",
           "name:text, description:text, position_type:text, page_size:whole, max_workers:whole, "
           "watermark:watermark, newest_run:run?"},
    schema{"feed_list", "all of them", "items:[feed], next:text?, total:count?"},
    schema{"watermark", "up to when the source is in the canonical set",
           "value:moment?, run:uuid?, moved_at:moment?, version:count"},
    schema{"watermark_request", "null makes the next run a full one", "value:moment|day?!"},
    schema{"window", "changes from then on and before then", "from:moment, to:moment"},
    schema{"text_range", "both ends belong to it", "first:text, last:text"},
    schema{"plan", "what a run would do",
           "feed:text, type:run_type, window:window, watermark:moment?, extent:text_range, "
           "estimated:count, is_capped:truth, partitions:[planned_partition]"},
    schema{"planned_partition", "a part of it", "name:text, range:text_range, estimated:count"},
    schema{"item", "of the canonical set",
           "key:text, data:anything, is_deleted:truth, version:count, changed_at:moment"},
    schema{"item_list", "a page of them", "items:[item], next:text?, total:count?"},
    schema{"run_request", "how a run starts", "type:run_type, max_records:count, trace:text"},
    schema{"no_run", "there is nothing to read", "run:run?"},
    schema{"run", "one pass over a feed",
           "id:uuid, feed:text, type:run_type, state:run_state, started_by:text?, trace:text, "
           "window:window, partitions:whole, completed:whole, failed:whole, estimated:count, "
           "records:count, changed:count, consolidated:count, bad_items:count, removed:count, "
           "is_forced:truth, is_capped:truth, watermark_before:moment?, watermark_after:moment?, "
           "started_at:moment, active_at:moment?, consolidate_at:moment?, completed_at:moment?, "
           "failed_at:moment?, cancelled_at:moment?, reason:text?, duration_ms:count"},
    schema{"run_list", "a page of them", "items:[run], next:text?, total:count?"},
    schema{"partition", "a part of a run",
           "number:whole, name:text, range:text_range, estimated:count, state:partition_state, "
           "next_offset:count, pass:whole, pages:count, records:count, changed:count, "
           "attempt:whole, worker:text?, error:text?, started_at:moment?, updated_at:moment?, "
           "completed_at:moment?"},
    schema{"partition_list", "all of them", "items:[partition], next:text?, total:count?"},
    schema{"bad_item", "an item that cannot be taken over", "key:text, reason:text, payload:text"},
    schema{"bad_item_list", "a page of them", "items:[bad_item], next:text?, total:count?"},
    schema{"run_retry_request", "one partition, or all that failed", "partition:whole"},
    schema{"consolidate_request", "force goes on without what failed", "force:truth"},
    schema{"cancel_request", "why", "reason:text"},
};

}  // namespace bulk::http::api
