// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/operation_state.hpp>

#include <cstdint>

namespace bulk {

/// How far an operation is. A row that fails validation is processed and failed; a row that nobody
/// tried (its operation failed or was cancelled first) is in `total` only.
struct row_counters {
    std::uint64_t total =
        0;  ///< rows of the file; 0 until validation has counted them, or was stopped
    std::uint64_t processed = 0;
    std::uint64_t successful = 0;
    std::uint64_t failed = 0;  ///< refused, failed or timed out

    bool operator==(const row_counters&) const = default;
};

/// Adds what was counted elsewhere.
constexpr void add(row_counters& counters, const row_counters& counted) {
    counters.total += counted.total;
    counters.processed += counted.processed;
    counters.successful += counted.successful;
    counters.failed += counted.failed;
}

constexpr void count_row(row_counters& counters, bool succeeded) {
    ++counters.processed;
    ++(succeeded ? counters.successful : counters.failed);
}

[[nodiscard]] constexpr std::uint64_t unprocessed(const row_counters& counters) {
    return counters.total > counters.processed ? counters.total - counters.processed : 0;
}

/// 0 to 100; 0 while the total is not known.
[[nodiscard]] constexpr double percent(const row_counters& counters) {
    if (counters.total == 0) return 0;
    return static_cast<double>(counters.processed) * 100 / static_cast<double>(counters.total);
}

/// How an operation ends when all its rows were tried. No rows at all is success.
[[nodiscard]] constexpr operation_state final_state(const row_counters& counters) {
    return counters.failed == 0 ? operation_state::completed
                                : operation_state::completed_with_errors;
}

}  // namespace bulk
