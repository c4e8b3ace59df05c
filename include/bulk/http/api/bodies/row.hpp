// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct step_record {
    static constexpr schema_text schema{"step_record", "a row at a step; -1 is its validation"};
    std::string step{};
    std::int32_t step_index = 0;
    row_state state{};
    std::uint32_t attempt = 0;
    std::uint32_t retry_attempt = 0;
    std::optional<error_type> failure{};
    std::optional<std::string> error{};
    std::optional<std::string> signal_key{};
    std::optional<timestamp> started_at{};
    std::optional<timestamp> completed_at{};
    std::optional<timestamp> wait_until{};
};
BOOST_DESCRIBE_STRUCT(step_record, (),
                      (step, step_index, state, attempt, retry_attempt, failure, error, signal_key,
                       started_at, completed_at, wait_until))

struct row {
    static constexpr schema_text schema{"row",
                                        "a row of the file, by the last step that it reached"};
    std::uint64_t row{};
    std::optional<std::string> row_id{};
    row_state state{};
    std::optional<std::string> step{};
    std::optional<std::int32_t> step_index{};
    std::optional<std::string> error{};
    std::optional<error_type> failure{};
    std::optional<object_text> data{};
    std::vector<step_record> steps{};
};
BOOST_DESCRIBE_STRUCT(row, (), (row, row_id, state, step, step_index, error, failure, data, steps))

struct row_error {
    static constexpr schema_text schema{"row_error", "a row that failed"};
    std::uint64_t row = 0;
    std::optional<std::string> row_id{};
    std::string step{};
    std::int32_t step_index = 0;
    std::optional<error_type> failure{};
    std::optional<std::string> error{};
    row_state state{};
    std::uint32_t attempt = 0;
    std::uint32_t retry_attempt = 0;
    std::optional<timestamp> completed_at{};
    std::optional<object_text> data{};
};
BOOST_DESCRIBE_STRUCT(row_error, (),
                      (row, row_id, step, step_index, failure, error, state, attempt, retry_attempt,
                       completed_at, data))

struct error_group {
    static constexpr schema_text schema{"error_group",
                                        "errors that say the same of different rows"};
    std::uint64_t count = 0;
    std::string step{};
    std::int32_t step_index = 0;
    std::optional<error_type> failure{};
    std::string pattern{};
    std::string sample{};
    std::uint64_t first_row = 0;
};
BOOST_DESCRIBE_STRUCT(error_group, (),
                      (count, step, step_index, failure, pattern, sample, first_row))

struct dry_run_error {
    static constexpr schema_text schema{"dry_run_error", "the first hundred"};
    std::uint64_t row = 0;
    std::optional<std::string> row_id{};
    std::optional<std::uint64_t> line{};
    std::optional<std::string> column{};
    std::optional<std::string> cell{};
    std::optional<error_type> failure{};
    std::string message{};
};
BOOST_DESCRIBE_STRUCT(dry_run_error, (), (row, row_id, line, column, cell, failure, message))

struct dry_run {
    static constexpr schema_text schema{
        "dry_run", "what a run of the file would find out before its first step"};
    bool is_valid = false;
    std::uint64_t rows = 0;
    std::uint64_t bad_rows = 0;
    std::optional<std::string> metadata_error{};
    std::optional<std::string> file_error{};
    std::optional<std::string> operation_error{};
    std::vector<dry_run_error> errors{};
    std::vector<error_group> groups{};
};
BOOST_DESCRIBE_STRUCT(dry_run, (),
                      (is_valid, rows, bad_rows, metadata_error, file_error, operation_error,
                       errors, groups))

}  // namespace bulk::http::api::bodies
