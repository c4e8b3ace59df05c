// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_group.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/rows/row_error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bulk {

struct dry_run_options {
    std::size_t max_errors = 1000;  ///< so many records are kept; all are counted and grouped
    std::size_t max_groups = error_grouping::default_limit;
    std::uint64_t max_file_size = 0;  ///< 0: any
};

/// What a real run of the same file would find out before its first step.
struct dry_run_report {
    bool is_valid = false;  ///< nothing below says otherwise
    /// Of every validator, not only the first that refuses. Rows are read but not validated then.
    std::vector<std::string> metadata_errors{};
    std::string file_error{};       ///< why the file cannot be read, or not to its end
    std::string operation_error{};  ///< why the operation would fail as a whole, with a good file
    row_counters rows{};            ///< `successful` are those that would go on to their first step
    std::vector<row_record> errors{};  ///< as they would be stored, but for ids and times
    std::vector<row_error> places{};   ///< of each of these: where, as far as it is known
    std::vector<error_group> groups{};
};

}  // namespace bulk
