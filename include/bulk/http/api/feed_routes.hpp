// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/route.hpp>
#include <bulk/http/api/routes.hpp>

#include <array>

namespace bulk::http::api {

namespace parameters {

inline constexpr std::array plan{
    parameter{"type", "run_type", "incremental where there is a watermark, unless it is given"},
    parameter{"max_records", "count", "instead of the feed's own"}};
inline constexpr std::array items{
    parameter{"key", "text", "the one of this key"},
    parameter{"from_key", "text", "from this one on"},
    parameter{"deleted", "truth", "also those that the source has no more"},
    parameter{"changed_since", "count", "only those of a later version of the set"}, limit, after};
inline constexpr std::array runs{parameter{"feed", "text", "of this feed"},
                                 parameter{"state", "run_state", "that it is in now"},
                                 parameter{"type", "run_type", "full or incremental"},
                                 parameter{"from", "moment", "started then or later"},
                                 parameter{"to", "moment", "started then or before"},
                                 parameter{"active", "truth", "that somebody is to work on"},
                                 limit,
                                 after};
inline constexpr std::array partitions{parameter{"state", "partition_state", "that they are in"}};
inline constexpr std::array bad_items{limit, after};

}  // namespace parameters

namespace answers {

inline constexpr std::array nothing_to_read{
    other_answer{200, "there is nothing to read: no run", "no_run"}};

}  // namespace answers

/// Version 1, feeds and their runs.
inline constexpr std::array feed_routes{
    route{method::get, "/api/v1/feeds", "getFeeds", "feeds", "The feeds of this program",
          right::read, body_shape::none, {}, 200, "feed_list"},
    route{method::get, "/api/v1/feeds/{name}", "getFeed", "feeds", "One of them, by name",
          right::read, body_shape::none, {}, 200, "feed"},
    route{method::get, "/api/v1/feeds/{name}/plan", "planRun", "feeds",
          "What a run would do; the source is asked, nothing is stored", right::read,
          body_shape::none, {}, 200, "plan", "application/json", parameters::plan},
    route{method::get, "/api/v1/feeds/{name}/watermark", "getWatermark", "feeds",
          "Up to when the source is in the canonical set", right::read, body_shape::none, {}, 200,
          "watermark"},
    route{method::put, "/api/v1/feeds/{name}/watermark", "setWatermark", "feeds",
          "Moves it; null makes the next run a full one", right::operate, body_shape::json,
          "watermark_request", 200, "watermark"},
    route{method::get, "/api/v1/feeds/{name}/items", "getItems", "feeds",
          "Items of the canonical set, by key", right::read, body_shape::none, {}, 200,
          "item_list", "application/json", parameters::items},
    route{method::post, "/api/v1/feeds/{name}/runs", "startRun", "runs", "Starts a run",
          right::operate, body_shape::json, "run_request", 202, "run", "application/json", {},
          answers::nothing_to_read},
    route{method::get, "/api/v1/runs", "getRuns", "runs", "Runs, the newest first", right::read,
          body_shape::none, {}, 200, "run_list", "application/json", parameters::runs},
    route{method::get, "/api/v1/runs/{id}", "getRun", "runs", "One run", right::read,
          body_shape::none, {}, 200, "run"},
    route{method::remove, "/api/v1/runs/{id}", "removeRun", "runs",
          "Forgets one that nobody works on", right::operate, body_shape::none, {}, 204, {}, {}},
    route{method::get, "/api/v1/runs/{id}/partitions", "getPartitions", "runs",
          "The parts that it is cut into", right::read, body_shape::none, {}, 200,
          "partition_list", "application/json", parameters::partitions},
    route{method::get, "/api/v1/runs/{id}/bad-items", "getBadItems", "runs",
          "Items that have no key or could not be mapped", right::read, body_shape::none, {}, 200,
          "bad_item_list", "application/json", parameters::bad_items},
    route{method::get, "/api/v1/runs/{id}/events", "getRunEvents", "runs",
          "What happened to it, the oldest first", right::read, body_shape::none, {}, 200,
          "event_list", "application/json", parameters::events},
    route{method::post, "/api/v1/runs/{id}/retry", "retryRun", "runs",
          "Failed partitions go on at the page at which they failed", right::operate,
          body_shape::json, "run_retry_request", 202, "run"},
    route{method::post, "/api/v1/runs/{id}/consolidate", "consolidateRun", "runs",
          "Goes on without the partitions that failed, if it is forced", right::operate,
          body_shape::json, "consolidate_request", 202, "run"},
    route{method::post, "/api/v1/runs/{id}/resume", "resumeRun", "runs",
          "Tries items again that could not be mapped", right::operate, body_shape::json,
          "nothing", 202, "run"},
    route{method::post, "/api/v1/runs/{id}/cancel", "cancelRun", "runs",
          "Ends it; the watermark stays", right::operate, body_shape::json, "cancel_request", 202,
          "run"},
};

}  // namespace bulk::http::api
