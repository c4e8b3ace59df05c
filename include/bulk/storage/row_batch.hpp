// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// Rows that follow each other and went through steps that follow each other at their first try,
/// all of it within that time.
struct rows_completed {
    row_number first_row{};
    std::uint64_t rows = 0;
    step_index first_step{};
    step_index last_step{};
    timestamp started_at{};
    timestamp completed_at{};

    bool operator==(const rows_completed&) const = default;
};

/// What became of some rows since the last time: written in one transaction, or not at all.
struct row_batch {
    std::vector<rows_completed> completed{};
    std::vector<row_record> records{};                          ///< each replaces the one it had
    std::vector<std::pair<row_number, std::string>> row_ids{};  ///< business keys
    row_counters counted{};                                     ///< to be added
    std::vector<event> events{};

    [[nodiscard]] bool empty() const;
    void clear();
};

/// Adds what came later, which is taken.
void append(row_batch& batch, row_batch& later);

/// Whether a row waits for a signal from now on, which may have come already.
[[nodiscard]] bool begins_waits(const row_batch& batch);

/// How far a row is: the last step that there is a record of, and its state.
struct row_progress {
    step_index step{};
    row_state state{};
    std::uint32_t attempt = 0;
    std::uint32_t retry_attempt = 0;

    bool operator==(const row_progress&) const = default;
};

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/storage/batch_implementation.hpp>
#endif
