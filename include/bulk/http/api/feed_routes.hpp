// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/api/handlers/feeds.hpp>
#include <bulk/http/api/handlers/runs.hpp>
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
    parameter{"changed_since", "count", "only those of a later version of the set"},
    limit,
    after};
inline constexpr std::array runs{parameter{"feed", "text", "of this feed"},
                                 parameter{"state", "run_state", "that it is in now"},
                                 parameter{"type", "run_type", "full or incremental"},
                                 parameter{"from", "moment", "started then or later"},
                                 parameter{"to", "moment", "started then or before"},
                                 parameter{"active", "truth", "that somebody is to work on"},
                                 limit,
                                 after};
inline constexpr std::array partitions{parameter{"state", "partition_state", "that they are in"},
                                       limit, after};
inline constexpr std::array bad_items{limit, after};

}  // namespace parameters

namespace answers {

inline constexpr std::array nothing_to_read{
    other_answer{200, "there is nothing to read: no run", "no_run"}};

}  // namespace answers

/// Version 1, feeds and their runs.
inline constexpr std::array feed_routes{
    route::get("/api/v1/feeds", "getFeeds", get_feeds, "feeds", "The feeds of this program")
        .giving("feed_list"),
    route::get("/api/v1/feeds/{name}", "getFeed", get_feed, "feeds", "One of them, by name")
        .giving("feed"),
    route::get("/api/v1/feeds/{name}/plan", "planRun", plan_run, "feeds",
               "What a run would do; the source is asked, nothing is stored")
        .giving("plan")
        .with(parameters::plan),
    route::get("/api/v1/feeds/{name}/watermark", "getWatermark", get_watermark, "feeds",
               "Up to when the source is in the canonical set")
        .giving("watermark"),
    route::put("/api/v1/feeds/{name}/watermark", "setWatermark", set_watermark, "feeds",
               "Moves it; null makes the next run a full one")
        .taking("watermark_request")
        .giving("watermark"),
    route::get("/api/v1/feeds/{name}/items", "getItems", get_items, "feeds",
               "Items of the canonical set, by key")
        .giving("item_list")
        .with(parameters::items),
    route::post("/api/v1/feeds/{name}/runs", "startRun", start_run, "runs", "Starts a run")
        .taking("run_request")
        .giving("run", 202)
        .or_else(answers::nothing_to_read),
    route::get("/api/v1/runs", "getRuns", get_runs, "runs", "Runs, the newest first")
        .giving("run_list")
        .with(parameters::runs),
    route::get("/api/v1/runs/{id}", "getRun", get_run, "runs", "One run").giving("run"),
    route::remove("/api/v1/runs/{id}", "removeRun", remove_run, "runs",
                  "Forgets one that nobody works on")
        .giving_nothing(),
    route::get("/api/v1/runs/{id}/partitions", "getPartitions", get_partitions, "runs",
               "The parts that it is cut into")
        .giving("partition_list")
        .with(parameters::partitions),
    route::get("/api/v1/runs/{id}/bad-items", "getBadItems", get_bad_items, "runs",
               "Items that have no key or could not be mapped")
        .giving("bad_item_list")
        .with(parameters::bad_items),
    route::get("/api/v1/runs/{id}/events", "getRunEvents", get_run_events, "runs",
               "What happened to it, the oldest first")
        .giving("event_list")
        .with(parameters::events),
    route::post("/api/v1/runs/{id}/retry", "retryRun", retry_run, "runs",
                "Failed partitions go on at the page at which they failed")
        .taking("run_retry_request")
        .giving("run", 202),
    route::post("/api/v1/runs/{id}/consolidate", "consolidateRun", consolidate_run, "runs",
                "Goes on without the partitions that failed, if it is forced")
        .taking("consolidate_request")
        .giving("run", 202),
    route::post("/api/v1/runs/{id}/resume", "resumeRun", resume_run, "runs",
                "Tries items again that could not be mapped")
        .taking("nothing")
        .giving("run", 202),
    route::post("/api/v1/runs/{id}/cancel", "cancelRun", cancel_run, "runs",
                "Ends it; the watermark stays")
        .taking("cancel_request")
        .giving("run", 202),
};

}  // namespace bulk::http::api
