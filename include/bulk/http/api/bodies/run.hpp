// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_partition.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bulk::http::api::bodies {

struct window {
    static constexpr schema_text schema{"window", "changes from then on and before then"};
    timestamp from{};
    timestamp to{};
};
BOOST_DESCRIBE_STRUCT(window, (), (from, to))

struct text_range {
    static constexpr schema_text schema{"text_range", "both ends belong to it"};
    std::string first{};
    std::string last{};
};
BOOST_DESCRIBE_STRUCT(text_range, (), (first, last))

struct run {
    static constexpr schema_text schema{"run", "one pass over a feed"};
    uuid id{};
    std::string feed{};
    run_type type{};
    run_state state{};
    std::optional<std::string> started_by{};
    std::string trace{};
    bodies::window window{};
    std::uint32_t partitions = 0;
    std::uint32_t completed = 0;
    std::uint32_t failed = 0;
    std::uint64_t estimated = 0;
    std::uint64_t records = 0;
    std::uint64_t changed = 0;
    std::uint64_t consolidated = 0;
    std::uint64_t bad_items = 0;
    std::uint64_t removed = 0;
    bool is_forced = false;
    bool is_capped = false;
    std::optional<timestamp> watermark_before{};
    std::optional<timestamp> watermark_after{};
    timestamp started_at{};
    std::optional<timestamp> active_at{};
    std::optional<timestamp> consolidate_at{};
    std::optional<timestamp> completed_at{};
    std::optional<timestamp> failed_at{};
    std::optional<timestamp> cancelled_at{};
    std::optional<std::string> reason{};
    std::int64_t duration_ms = 0;
};
BOOST_DESCRIBE_STRUCT(run, (),
                      (id, feed, type, state, started_by, trace, window, partitions, completed,
                       failed, estimated, records, changed, consolidated, bad_items, removed,
                       is_forced, is_capped, watermark_before, watermark_after, started_at,
                       active_at, consolidate_at, completed_at, failed_at, cancelled_at, reason,
                       duration_ms))

/// Instead of a run.
struct no_run {
    static constexpr schema_text schema{"no_run", "there is nothing to read"};
    std::optional<bodies::run> run{};
};
BOOST_DESCRIBE_STRUCT(no_run, (), (run))

struct partition {
    static constexpr schema_text schema{"partition", "a part of a run"};
    std::uint32_t number = 0;
    std::string name{};
    text_range range{};
    std::uint64_t estimated = 0;
    partition_state state{};
    std::uint64_t next_offset = 0;
    std::uint32_t pass = 0;
    std::uint64_t pages = 0;
    std::uint64_t records = 0;
    std::uint64_t changed = 0;
    std::uint32_t attempt = 0;
    std::optional<std::string> worker{};
    std::optional<std::string> error{};
    std::optional<timestamp> started_at{};
    std::optional<timestamp> updated_at{};
    std::optional<timestamp> completed_at{};
};
BOOST_DESCRIBE_STRUCT(partition, (),
                      (number, name, range, estimated, state, next_offset, pass, pages, records,
                       changed, attempt, worker, error, started_at, updated_at, completed_at))

struct bad_item {
    static constexpr schema_text schema{"bad_item", "an item that cannot be taken over"};
    std::string key{};
    std::string reason{};
    std::string payload{};
};
BOOST_DESCRIBE_STRUCT(bad_item, (), (key, reason, payload))

}  // namespace bulk::http::api::bodies
