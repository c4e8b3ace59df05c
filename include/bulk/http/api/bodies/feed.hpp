// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/bodies/run.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct watermark {
    static constexpr schema_text schema{"watermark",
                                        "up to when the source is in the canonical set"};
    std::optional<timestamp> value{};
    std::optional<uuid> run{};
    std::optional<timestamp> moved_at{};
    std::uint64_t version = 0;
};
BOOST_DESCRIBE_STRUCT(watermark, (), (value, run, moved_at, version))

struct feed {
    static constexpr schema_text schema{"feed", "a source that is fetched in partitions"};
    std::string name{};
    std::string description{};
    std::string position_type{};
    std::uint32_t page_size = 0;
    std::uint32_t max_workers = 0;
    bodies::watermark watermark{};
    std::optional<run> newest_run{};
};
BOOST_DESCRIBE_STRUCT(feed, (),
                      (name, description, position_type, page_size, max_workers, watermark,
                       newest_run))

struct planned_partition {
    static constexpr schema_text schema{"planned_partition", "a part of it"};
    std::string name{};
    text_range range{};
    std::uint64_t estimated = 0;
};
BOOST_DESCRIBE_STRUCT(planned_partition, (), (name, range, estimated))

struct plan {
    static constexpr schema_text schema{"plan", "what a run would do"};
    std::string feed{};
    run_type type{};
    bodies::window window{};
    std::optional<timestamp> watermark{};
    text_range extent{};
    std::uint64_t estimated = 0;
    bool is_capped = false;
    std::vector<planned_partition> partitions{};
};
BOOST_DESCRIBE_STRUCT(plan, (),
                      (feed, type, window, watermark, extent, estimated, is_capped, partitions))

struct item {
    static constexpr schema_text schema{"item", "of the canonical set"};
    std::string key{};
    any_text data{};
    bool is_deleted = false;
    std::uint64_t version = 0;
    timestamp changed_at{};
};
BOOST_DESCRIBE_STRUCT(item, (), (key, data, is_deleted, version, changed_at))

}  // namespace bulk::http::api::bodies
