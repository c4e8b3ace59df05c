// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/task.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace bulk {

/// What a step says when "it worked" and "it failed" are not enough.
class outcome {
public:
    struct succeeded {};
    struct failed {  ///< for good: no retry
        std::string reason{};
    };
    struct retried {  ///< as long as the step has retries left
        std::string reason{};
        std::optional<std::chrono::milliseconds> after{};  ///< unset: the step's back-off
    };
    struct skipped {  ///< counts as success, and says why
        std::string reason{};
    };
    struct waiting {  ///< for a signal from outside
        std::string key{};
        std::optional<std::chrono::milliseconds> timeout{};
    };
    struct polling {  ///< the step is called again until it says something else
        std::chrono::milliseconds interval{};
        std::chrono::milliseconds timeout{};
    };
    using state = std::variant<succeeded, failed, retried, skipped, waiting, polling>;

    [[nodiscard]] static outcome done() { return outcome{succeeded{}}; }
    [[nodiscard]] static outcome fail(std::string reason) {
        return outcome{failed{std::move(reason)}};
    }
    [[nodiscard]] static outcome retry(std::string reason) {
        return outcome{retried{.reason = std::move(reason)}};
    }
    [[nodiscard]] static outcome retry(std::string reason, std::chrono::milliseconds after) {
        return outcome{retried{std::move(reason), after}};
    }
    [[nodiscard]] static outcome skip(std::string reason) {
        return outcome{skipped{std::move(reason)}};
    }
    [[nodiscard]] static outcome wait_for_signal(
        std::string key, std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
        return outcome{waiting{std::move(key), timeout}};
    }
    [[nodiscard]] static outcome poll(std::chrono::milliseconds interval,
                                      std::chrono::milliseconds timeout) {
        return outcome{polling{interval, timeout}};
    }

    [[nodiscard]] const state& get() const { return state_; }

private:
    explicit outcome(state state) : state_{std::move(state)} {}

    state state_;
};

namespace detail {

template <typename T>
inline constexpr bool is_step_answer =
    std::is_void_v<T> || std::same_as<T, outcome> || std::convertible_to<T, result<>>;
template <typename T>
inline constexpr bool is_step_answer<task<T>> = is_step_answer<T>;

}  // namespace detail

/// What a step may return: nothing, `result<>` (or what converts to it, such as `bulk::fail(...)`),
/// an `outcome`, or a `task` of one of them.
template <typename T>
concept step_result = detail::is_step_answer<T>;

/// One outcome for all of them: a failed `result` is tried again under the step's policy.
template <typename Call>
    requires(step_result<std::invoke_result_t<Call>> && !is_task<std::invoke_result_t<Call>>)
[[nodiscard]] outcome outcome_of(Call&& call) {
    using returned = std::invoke_result_t<Call>;
    if constexpr (std::is_void_v<returned>) {
        std::forward<Call>(call)();
        return outcome::done();
    } else if constexpr (std::same_as<returned, outcome>) {
        return std::forward<Call>(call)();
    } else {
        result<> answer = std::forward<Call>(call)();
        return answer ? outcome::done() : outcome::retry(std::move(answer).error().message);
    }
}

}  // namespace bulk
