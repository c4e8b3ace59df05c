// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace bulk {

/// Who may look, and who may act. Unset is open; whoever may act is asked for `read_policy` when
/// `operate_policy` is unset.
struct access_options {
    std::optional<std::string> read_policy{};
    std::optional<std::string> operate_policy{};
};

[[nodiscard]] inline std::optional<std::string> policy_to_operate(const access_options& access) {
    return access.operate_policy ? access.operate_policy : access.read_policy;
}

/// One front door for several services.
struct gateway_options {
    std::chrono::milliseconds http_timeout{30'000};
    int http_retry_count = 2;
    int circuit_breaker_failure_threshold = 5;  ///< failures in a row, then the backend rests
    std::chrono::milliseconds circuit_breaker_break_duration{15'000};
    std::chrono::milliseconds registry_refresh_interval{300'000};
    std::chrono::milliseconds fan_out_timeout_per_backend{10'000};
    bool forward_bearer_token = true;
};

[[nodiscard]] inline result<> validate(const access_options& access) {
    using namespace setting_rules;
    return first_failure({
        access.read_policy ? not_blank("read_policy", *access.read_policy) : result<>{},
        access.operate_policy ? not_blank("operate_policy", *access.operate_policy) : result<>{},
    });
}

[[nodiscard]] inline result<> validate(const gateway_options& options) {
    using namespace setting_rules;
    return first_failure({
        positive("http_timeout", options.http_timeout),
        at_least("http_retry_count", options.http_retry_count, 0),
        at_least("circuit_breaker_failure_threshold", options.circuit_breaker_failure_threshold, 1),
        positive("circuit_breaker_break_duration", options.circuit_breaker_break_duration),
        positive("registry_refresh_interval", options.registry_refresh_interval),
        positive("fan_out_timeout_per_backend", options.fan_out_timeout_per_backend),
    });
}

}  // namespace bulk
