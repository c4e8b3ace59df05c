// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/bodies/values.hpp>
#include <bulk/operation/step_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct file {
    static constexpr schema_text schema{"file", "as it was uploaded"};
    std::optional<std::string> id{};
    std::string name{};
    std::uint64_t size = 0;
};
BOOST_DESCRIBE_STRUCT(file, (), (id, name, size))

struct stored_file {
    static constexpr schema_text schema{"stored_file", "an uploaded file"};
    std::string id{};
    std::string name{};
    std::uint64_t size = 0;
    std::string content_type{};
    std::optional<std::string> uploaded_by{};
    timestamp stored_at{};
};
BOOST_DESCRIBE_STRUCT(stored_file, (), (id, name, size, content_type, uploaded_by, stored_at))

struct row_counts {
    static constexpr schema_text schema{"row_counts", "total is null until all rows are validated"};
    std::optional<std::uint64_t> total{};
    std::uint64_t processed = 0;
    std::uint64_t succeeded = 0;
    std::uint64_t failed = 0;
    std::uint64_t unprocessed = 0;
};
BOOST_DESCRIBE_STRUCT(row_counts, (), (total, processed, succeeded, failed, unprocessed))

struct step_name {
    static constexpr schema_text schema{"step_name", "a step of the operation"};
    std::int32_t index = 0;
    std::string name{};
    std::optional<step_kind> kind{};
};
BOOST_DESCRIBE_STRUCT(step_name, (), (index, name, kind))

struct operation {
    static constexpr schema_text schema{"operation", "one file on its way"};
    uuid id{};
    std::string type{};
    operation_state state{};
    bool paused = false;
    bool cancel_requested = false;
    bodies::file file{};
    std::optional<object_text> metadata{};
    std::optional<std::string> created_by{};
    std::optional<std::string> source{};
    std::optional<std::string> idempotency_key{};
    row_counts rows{};
    double percent = 0;
    std::optional<double> rate{};
    std::optional<std::uint32_t> eta{};
    std::uint32_t retry_count = 0;
    std::optional<std::string> error{};
    timestamp created_at{};
    std::optional<timestamp> started_at{};
    std::optional<timestamp> run_started_at{};
    std::optional<timestamp> completed_at{};
    std::uint64_t version = 0;
    std::vector<step_name> steps{};
    object_text links{};
};
BOOST_DESCRIBE_STRUCT(operation, (),
                      (id, type, state, paused, cancel_requested, file, metadata, created_by,
                       source, idempotency_key, rows, percent, rate, eta, retry_count, error,
                       created_at, started_at, run_started_at, completed_at, version, steps, links))

struct status {
    static constexpr schema_text schema{"status", "how far an operation is"};
    uuid id{};
    operation_state state{};
    bool paused = false;
    bool cancel_requested = false;
    row_counts rows{};
    double percent = 0;
    std::optional<double> rate{};
    std::optional<std::uint32_t> eta{};
    std::optional<std::string> error{};
    std::uint64_t version = 0;
};
BOOST_DESCRIBE_STRUCT(status, (),
                      (id, state, paused, cancel_requested, rows, percent, rate, eta, error,
                       version))

}  // namespace bulk::http::api::bodies
