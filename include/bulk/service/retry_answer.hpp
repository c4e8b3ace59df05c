// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bulk {

/// Why an operation cannot be retried, for programs.
enum class retry_obstacle : std::uint8_t {
    none,
    not_found,
    wrong_state,   ///< it has not ended, or all its rows succeeded
    unknown_type,  ///< this program does not have the operation
    not_retryable,
    too_many_retries,
    not_validated,  ///< it ended before all rows were validated
    rows_deleted,   ///< neither the file nor the records have them
    no_failed_rows,
};

/// Whether an operation can be retried, and if not, why.
struct retry_eligibility {
    bool is_eligible = false;
    std::string reason{};  ///< for people
    retry_obstacle obstacle = retry_obstacle::none;
};

/// What came of a retry.
struct retry_answer {
    std::uint64_t submitted = 0;  ///< rows that are tried again
    std::uint64_t resumed = 0;    ///< rows that nobody had tried, and that are tried now
    std::uint64_t skipped = 0;
    std::vector<std::string> reasons{};  ///< for what was skipped
};

}  // namespace bulk
