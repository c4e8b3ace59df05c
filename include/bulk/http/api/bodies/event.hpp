// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/api/bodies/operation.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace bulk::http::api::bodies {

struct event {
    static constexpr schema_text schema{"event", "something that happened"};
    std::uint64_t sequence = 0;
    event_kind kind{};
    severity level{};
    std::optional<uuid> operation{};
    std::optional<uuid> run{};
    std::string name{};
    std::optional<operation_state> state{};
    std::optional<operation_state> previous{};
    std::optional<std::uint64_t> row{};
    std::optional<error_type> failure{};
    std::string message{};
    timestamp time{};
    std::optional<std::string> error{};
    std::optional<std::string> created_by{};
    std::optional<std::string> file_name{};
    std::optional<object_text> metadata{};
    std::optional<row_counts> rows{};
    std::optional<std::int64_t> duration_ms{};
};
BOOST_DESCRIBE_STRUCT(event, (),
                      (sequence, kind, level, operation, run, name, state, previous, row, failure,
                       message, time, error, created_by, file_name, metadata, rows, duration_ms))

}  // namespace bulk::http::api::bodies
