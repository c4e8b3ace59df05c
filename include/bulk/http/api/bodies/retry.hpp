// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/api/bodies/values.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk::http::api::bodies {

struct retry_answer {
    static constexpr schema_text schema{"retry_answer", "what came of it"};
    std::uint64_t submitted = 0;
    std::uint64_t skipped = 0;
    std::uint64_t resumed = 0;
    std::vector<std::string> reasons{};
};
BOOST_DESCRIBE_STRUCT(retry_answer, (), (submitted, skipped, resumed, reasons))

struct retry_eligibility {
    static constexpr schema_text schema{"retry_eligibility", "whether it can be retried"};
    bool is_eligible = false;
    std::optional<std::string> reason{};
};
BOOST_DESCRIBE_STRUCT(retry_eligibility, (), (is_eligible, reason))

struct retry_entry {
    static constexpr schema_text schema{"retry_entry",
                                        "a failed attempt of a row that was retried since"};
    std::uint64_t row = 0;
    std::string step{};
    std::int32_t step_index = 0;
    std::uint32_t retry_attempt = 0;
    std::optional<error_type> failure{};
    std::optional<std::string> error{};
    std::optional<timestamp> failed_at{};
    std::optional<object_text> data{};
};
BOOST_DESCRIBE_STRUCT(retry_entry, (),
                      (row, step, step_index, retry_attempt, failure, error, failed_at, data))

struct signal_receipt {
    static constexpr schema_text schema{"signal_receipt",
                                        "is_kept: nobody waits yet; the next that does gets it"};
    bool is_kept = false;
    std::optional<std::uint64_t> row{};
    std::optional<std::string> step{};
    std::optional<std::int32_t> step_index{};
};
BOOST_DESCRIBE_STRUCT(signal_receipt, (), (is_kept, row, step, step_index))

}  // namespace bulk::http::api::bodies
