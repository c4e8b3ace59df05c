// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/operation/step_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct metadata_field {
    static constexpr schema_text schema{"metadata_field", "what is said once for a whole file"};
    std::string name{};
    std::string type{};
    bool required = false;
    std::string description{};
    std::vector<std::string> choices{};
};
BOOST_DESCRIBE_STRUCT(metadata_field, (), (name, type, required, description, choices))

struct column {
    static constexpr schema_text schema{"column", "what each row has"};
    std::string name{};
    std::string type{};
    bool required = false;
    bool nullable = false;
    bool hidden = false;
    std::optional<std::string> format{};
    bool row_id = false;
    bool unique = false;
    std::vector<std::string> choices{};
};
BOOST_DESCRIBE_STRUCT(column, (),
                      (name, type, required, nullable, hidden, format, row_id, unique, choices))

struct step {
    static constexpr schema_text schema{"step", "what each row goes through"};
    std::int32_t index = 0;
    std::string name{};
    step_kind kind{};
    std::int32_t max_retries = 0;
    std::optional<std::int32_t> poll_interval_ms{};
    std::optional<std::int32_t> timeout_ms{};
    bool allow_operation_retry = false;
};
BOOST_DESCRIBE_STRUCT(step, (),
                      (index, name, kind, max_retries, poll_interval_ms, timeout_ms,
                       allow_operation_retry))

struct operation_type {
    static constexpr schema_text schema{"operation_type", "what can be done with a file"};
    std::string name{};
    std::string description{};
    bool is_pipeline = false;
    bool retryable = false;
    bool track_row_data = false;
    std::optional<std::uint64_t> max_failed_rows{};
    std::optional<double> max_failed_ratio{};
    std::vector<metadata_field> metadata{};
    std::vector<column> columns{};
    std::vector<step> steps{};
};
BOOST_DESCRIBE_STRUCT(operation_type, (),
                      (name, description, is_pipeline, retryable, track_row_data, max_failed_rows,
                       max_failed_ratio, metadata, columns, steps))

}  // namespace bulk::http::api::bodies
