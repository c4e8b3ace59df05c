// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Which failed rows are tried again. What is set must all hold.
struct retry_filter {
    std::optional<std::vector<row_number>> rows{};  ///< unset: all; empty is an error
    std::optional<step_index> step{};
    std::optional<error_type> failure{};
};

/// What a retry begins with.
struct retry_submission {
    std::uint64_t submitted = 0;
    std::uint64_t skipped = 0;                                 ///< matched, and cannot be retried
    std::vector<std::pair<row_number, step_index>> refused{};  ///< by their step; the first hundred
};

/// How a row failed before it was tried again.
struct retry_entry {
    operation_id operation{};
    row_number row{};
    step_index step{};
    std::uint32_t retry_attempt = 0;  ///< 0: the first run
    std::optional<error_type> failure{};
    std::string error_message{};
    std::optional<timestamp> failed_at{};
    std::string
        row_data{};  ///< the row as JSON, if it was kept: by the failed step, or by validation

    bool operator==(const retry_entry&) const = default;
};

/// Which of them, by row, then step, then attempt.
struct retry_history_query {
    operation_id operation{};
    std::optional<row_number> row{};
    std::optional<step_index> step{};
    std::optional<std::uint32_t> retry_attempt{};
    std::uint32_t page_size = 100;
    std::string after{};  ///< `next` of the page before
};

}  // namespace bulk
