// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/operation/step_options.hpp>
#include <bulk/run/guard.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace bulk {

/// What a step said, in one word.
enum class answer : std::uint8_t {
    done,
    skipped,
    failed,   ///< for good
    again,    ///< if it has retries left
    polling,  ///< to be asked again later
    waiting,  ///< for a signal
    timed_out,
    suspended,  ///< a coroutine waits for something
};

/// What goes with the word. Not touched by `done`.
struct answer_details {
    std::string text{};                                ///< a reason, or the key of a signal
    std::optional<std::chrono::milliseconds> after{};  ///< before the next try or look
    std::optional<std::chrono::milliseconds> timeout{};
};

namespace detail {

inline answer answer_of(const outcome& said, answer_details& details) {
    return std::visit(
        [&]<typename Said>(const Said& each) {
            if constexpr (std::same_as<Said, outcome::succeeded>) {
                return answer::done;
            } else if constexpr (std::same_as<Said, outcome::waiting>) {
                details = {.text = each.key, .timeout = each.timeout};
                return answer::waiting;
            } else if constexpr (std::same_as<Said, outcome::polling>) {
                details = {.after = each.interval, .timeout = each.timeout};
                return answer::polling;
            } else if constexpr (std::same_as<Said, outcome::retried>) {
                details = {.text = each.reason, .after = each.after};
                return answer::again;
            } else {
                details = {.text = each.reason};
                return std::same_as<Said, outcome::failed> ? answer::failed : answer::skipped;
            }
        },
        said.get());
}

}  // namespace detail

/// What a call of a step says, whatever it returns or throws. The way of one that returns nothing and
/// throws nothing is a plain call.
template <typename Call>
[[nodiscard]] answer answer_of_call(Call&& call, answer_details& details) {
    try {
        using returned = std::invoke_result_t<Call>;
        if constexpr (std::is_void_v<returned>) {
            std::forward<Call>(call)();
            return answer::done;
        } else if constexpr (std::same_as<returned, outcome>) {
            return detail::answer_of(std::forward<Call>(call)(), details);
        } else {
            result<> said = std::forward<Call>(call)();
            if (said) return answer::done;
            details = {.text = std::move(said).error().message};
            return answer::again;
        }
    } catch (...) {
        details = {.text = thrown_text()};
        return answer::again;
    }
}

/// Executes a step that is no coroutine.
template <typename Step, typename Row, typename Metadata>
[[nodiscard]] answer call_step(const Step& step, const Row& row, const Metadata& metadata,
                               context& ctx, answer_details& details) {
    return answer_of_call([&] { return step.execute(row, metadata, ctx); }, details);
}

/// Asks a polled step whether it is complete: `done`, `polling` if not yet, or `again` if it could
/// not be told.
template <typename Step, typename Row, typename Metadata>
    requires(Step::kind == step_kind::polled)
[[nodiscard]] answer check_step(const Step& step, const Row& row, const Metadata& metadata,
                                context& ctx, answer_details& details) {
    try {
        const result<bool> said = step.is_complete(row, metadata, ctx);
        if (said) return *said ? answer::done : answer::polling;
        details = {.text = said.error().message};
    } catch (...) {
        details = {.text = thrown_text()};
    }
    return answer::again;
}

}  // namespace bulk
