// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_item.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bulk {

/// Places on the axis along which a feed is cut, counted in the smallest unit of their type. Both
/// ends belong to it.
struct key_range {
    std::int64_t first = 0;
    std::int64_t last = 0;

    bool operator==(const key_range&) const = default;
};

enum class partition_state : std::uint8_t { pending, in_progress, completed, failed, cancelled };
BOOST_DESCRIBE_ENUM(partition_state, pending, in_progress, completed, failed, cancelled)

/// A part of a run, and where the next page of it begins. It is its own work item: whoever claims it
/// fetches that page, and what is written when the page is stored says where the next one begins.
struct feed_partition {
    run_id run{};
    std::uint32_t number = 0;  ///< from 0
    key_range range{};
    std::uint64_t estimated = 0;                  ///< records, by the plan
    std::optional<std::uint64_t> most_records{};  ///< end there, whatever else there is
    partition_state state = partition_state::pending;

    std::uint64_t next_offset = 0;           ///< of the next page
    std::string token{};                     ///< where it begins, in the words of the source
    std::uint32_t pass = 0;                  ///< how often it was begun again
    std::optional<std::uint64_t> counted{};  ///< by the source, when this pass began
    std::uint64_t pages = 0;
    std::uint64_t records = 0;  ///< each once
    std::uint64_t changed = 0;  ///< of them; also what has changed back later

    std::uint32_t attempt = 1;     ///< which try of the next page
    std::uint32_t deliveries = 0;  ///< of the next page to workers that did not come back
    timestamp due{};               ///< not before then
    std::optional<timestamp> leased_until{};
    std::uint64_t fence = 0;  ///< greater with each claim
    std::string worker{};     ///< who has it, or had it last
    std::string error{};      ///< why it failed, or why its page is tried again
    std::optional<timestamp> started_at{};
    std::optional<timestamp> updated_at{};
    std::optional<timestamp> completed_at{};

    bool operator==(const feed_partition&) const = default;
};

[[nodiscard]] inline std::string partition_name(std::uint32_t number) {
    return concat("partition-", number);
}

/// Where a partition that has failed goes on when it is retried.
enum class retry_from : std::uint8_t {
    page,   ///< at the one that could not be fetched
    begin,  ///< what was fetched before it cannot be trusted either
};

[[nodiscard]] constexpr bool is_finished(partition_state state) {
    return state != partition_state::pending && state != partition_state::in_progress;
}

/// One page to be fetched. The same may come twice, late or out of order: what is stored of its
/// partition decides whether it is still wanted.
struct page_work {
    run_id run{};
    std::string feed{};
    std::string trace{};
    run_type type = run_type::full;
    update_window window{};  ///< to read
    std::uint32_t partition = 0;
    key_range range{};
    std::uint64_t estimated = 0;
    std::optional<std::uint64_t> most_records{};
    std::uint64_t offset = 0;
    std::string token{};
    std::uint32_t pass = 0;
    std::optional<std::uint64_t> counted{};
    std::uint32_t attempt = 1;
    std::uint64_t fence = 0;

    bool operator==(const page_work&) const = default;
};

/// A page is known by where it is.
[[nodiscard]] inline std::string to_text(const page_work& work) {
    return concat(to_text(work.run), ':', partition_name(work.partition), ':', work.offset);
}

/// What became of a page, and the one behind it, which the same worker has already.
struct stored_page {
    page_outcome outcome{};
    std::optional<page_work> next{};
};

}  // namespace bulk
