// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers/events.hpp>
#include <bulk/http/api/handlers/feeds.hpp>
#include <bulk/http/api/handlers/files.hpp>
#include <bulk/http/api/handlers/health.hpp>
#include <bulk/http/api/handlers/intake.hpp>
#include <bulk/http/api/handlers/metrics.hpp>
#include <bulk/http/api/handlers/older.hpp>
#include <bulk/http/api/handlers/operations.hpp>
#include <bulk/http/api/handlers/overview.hpp>
#include <bulk/http/api/handlers/retries.hpp>
#include <bulk/http/api/handlers/rows.hpp>
#include <bulk/http/api/handlers/runs.hpp>
#include <bulk/http/api/handlers/types.hpp>
#include <bulk/http/api/handlers/workers.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace bulk::http::api {

using handler = reply (*)(call&);

/// Who answers for which route, by its id.
inline constexpr auto handlers = std::to_array<std::pair<std::string_view, handler>>({
    {"getHealth", get_health},
    {"getReadiness", get_readiness},
    {"getMetrics", get_metrics},
    {"getIndex", get_index},
    {"getOpenApi", get_open_api},
    {"getOverview", get_overview},
    {"getWorkers", get_workers},
    {"getOperationTypes", get_operation_types},
    {"getOperationType", get_operation_type},
    {"getTemplate", get_template},
    {"validateFile", validate_file},
    {"getOperations", get_operations},
    {"createOperation", create_operation},
    {"getOperation", get_operation},
    {"removeOperation", remove_operation},
    {"getStatus", get_status},
    {"getRows", get_rows},
    {"getRow", get_row},
    {"getErrors", get_errors},
    {"getErrorGroups", get_error_groups},
    {"getOperationEvents", get_operation_events},
    {"getFile", get_file},
    {"exportRows", export_rows_of},
    {"retryOperation", retry_operation},
    {"getRetryEligibility", get_retry_eligibility},
    {"getRetryHistory", get_retry_history},
    {"cancelOperation", cancel_operation},
    {"pauseOperation", pause_operation},
    {"resumeOperation", resume_operation},
    {"sendSignal", post_signal},
    {"getFiles", get_files},
    {"getEvents", get_events},
    {"streamEvents", stream_events},
    {"getFeeds", get_feeds},
    {"getFeed", get_feed},
    {"planRun", plan_run},
    {"getWatermark", get_watermark},
    {"setWatermark", set_watermark},
    {"getItems", get_items},
    {"startRun", start_run},
    {"getRuns", get_runs},
    {"getRun", get_run},
    {"removeRun", remove_run},
    {"getPartitions", get_partitions},
    {"getBadItems", get_bad_items},
    {"getRunEvents", get_run_events},
    {"retryRun", retry_run},
    {"consolidateRun", consolidate_run},
    {"resumeRun", resume_run},
    {"cancelRun", cancel_run},
    {"olderGetOperations", older_get_operations},
    {"olderGetOperationTemplate", older_get_template},
    {"olderGetBulks", older_get_bulks},
    {"olderCreateBulk", older_create},
    {"olderValidateBulk", older_validate},
    {"olderGetBulk", older_get_bulk},
    {"olderGetBulkStatus", older_get_status},
    {"olderGetBulkErrors", older_get_errors},
    {"olderGetBulkRows", older_get_rows},
    {"olderGetBulkFile", older_get_file},
    {"olderExportBulk", older_export},
    {"olderCancelBulk", older_cancel},
    {"olderSignalStep", older_signal},
    {"olderFailStep", older_fail_signal},
    {"olderRetryBulk", older_retry},
    {"olderRetryBulkRows", older_retry_rows},
    {"olderGetRetryEligibility", older_get_eligibility},
    {"olderGetRetryHistory", older_get_history},
    {"olderGetBulkEvents", older_get_bulk_events},
    {"olderGetEvents", older_get_events},
    {"olderGetOpenApi", older_get_open_api},
});

[[nodiscard]] constexpr handler handler_of(std::string_view id) {
    for (const auto& [known, answer] : handlers)
        if (known == id) return answer;
    return nullptr;
}

static_assert(std::ranges::all_of(all_routes,
                                  [](const route& each) { return handler_of(each.id) != nullptr; }),
              "a route has no handler");
static_assert(handlers.size() == all_routes.size(), "a handler has no route");

}  // namespace bulk::http::api
