// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/feed_run.hpp>
#include <bulk/core/page.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// Which runs, newest first. What is not set does not restrict.
struct run_query {
    std::string feed{};
    std::optional<run_type> type{};
    bool active_only = false;
    std::optional<run_state> state{};  ///< as of `now`
    std::optional<timestamp> started_from{};
    std::optional<timestamp> started_to{};
    timestamp now{};
    std::chrono::milliseconds stall_after = std::chrono::minutes{30};
    std::uint32_t page_size = 20;
    std::string after{};  ///< `next` of the page before
};

/// Which items of a canonical set, by key.
struct item_query {
    std::string feed{};
    std::string from_key{};  ///< inclusive
    bool with_deleted = false;
    std::uint64_t changed_since = 0;  ///< only those of a later version of the set
    std::uint32_t page_size = 100;
    std::string after{};  ///< `next` of the page before
};

[[nodiscard]] inline result<> validate(const run_query& query) {
    if (query.started_from && query.started_to && *query.started_from > *query.started_to)
        return fail(errc::invalid_argument,
                    "started_from is later than started_to: nothing is between");
    if (!query.after.empty())
        if (auto at = parse_cursor(query.after); !at) return std::unexpected{at.error()};
    return check_page_size(query.page_size);
}

[[nodiscard]] inline result<> validate(const item_query& query) {
    if (!query.after.empty())
        if (auto at = parse_cursor(query.after); !at) return std::unexpected{at.error()};
    return check_page_size(query.page_size);
}

/// Who wants a page or a batch, of which feeds.
struct work_request {
    std::string worker{};              ///< for people
    std::vector<std::string> feeds{};  ///< that this process knows; in any case
    timestamp now{};
    std::chrono::milliseconds lease_time{};
    /// The clock was set forward by so much lately: leases end that much later for this once.
    std::chrono::microseconds clock_doubt{};

    [[nodiscard]] timestamp lapsed_by() const { return now - clock_doubt; }
};

}  // namespace bulk
