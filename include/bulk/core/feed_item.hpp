// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/reflect.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// One record as the source gave it, until it is consolidated.
struct raw_item {
    std::string key{};
    std::uint64_t hash = 0;  ///< of what matters in it: the same hash is the same item
    std::string payload{};   ///< JSON

    bool operator==(const raw_item&) const = default;
};

/// One record that cannot be taken over, and why.
struct bad_item {
    std::string key{};
    std::string payload{};
    std::string reason{};

    bool operator==(const bad_item&) const = default;
};

/// What a worker has fetched.
struct fetched_page {
    std::vector<raw_item> items{};
    std::vector<bad_item> bad{};  ///< those without a key; `key` says where they were
    std::uint64_t received = 0;   ///< how far the offset moves
    std::string token{};          ///< where the next page begins, if the source says so
    bool has_more = false;
    bool begin_again = false;      ///< the source has lost records meanwhile
    bool may_begin_again = false;  ///< once, when fewer have come than it counted
    std::optional<std::uint64_t>
        counted{};  ///< by the source, at the begin of this pass or the next
};

enum class page_outcome : std::uint8_t {
    advanced,
    completed,  ///< it was the last of its partition
    skipped_finished,
    skipped_duplicate,  ///< another page is the next one
};
BOOST_DESCRIBE_ENUM(page_outcome, advanced, completed, skipped_finished, skipped_duplicate)

/// An item of the canonical set: what all runs of a feed have made of its source.
struct canonical_item {
    std::string key{};
    std::string payload{};      ///< JSON
    bool is_deleted = false;    ///< the source has it no more
    std::uint64_t version = 0;  ///< of the set, when the item was last changed
    timestamp changed_at{};

    bool operator==(const canonical_item&) const = default;
};

/// Changed items of one run that somebody consolidates. No item is in two of them.
struct item_batch {
    run_id run{};
    std::string feed{};
    std::string trace{};
    std::uint64_t number = 0;
    std::uint64_t fence = 0;  ///< greater with each who takes it
    std::vector<raw_item> items{};
};

/// What became of one of them: a payload, or the reason why there is none.
struct mapped_item {
    std::string key{};
    std::uint64_t hash = 0;
    std::string payload{};
    std::optional<std::string> error{};
};

/// Up to when the changes of a feed's source are in its canonical set.
struct watermark {
    std::string feed{};
    std::optional<timestamp> value{};
    std::optional<run_id> run{};  ///< that moved it; none: a person did
    std::optional<timestamp> moved_at{};
    std::uint64_t version = 0;  ///< of the canonical set: greater whenever a run has changed it

    bool operator==(const watermark&) const = default;
};

}  // namespace bulk
