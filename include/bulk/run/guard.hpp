// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace bulk {

/// What the exception that is being handled says.
[[nodiscard]] inline std::string thrown_text() {
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc&) {
        return "out of memory";
    } catch (const std::exception& thrown) {
        const std::string text = thrown.what();
        return text.empty() ? "an exception without a text was thrown" : text;
    } catch (...) {
        return "something was thrown that is no std::exception";
    }
}

/// Calls the storage, which throws where there is no memory for its answer.
template <typename Call>
[[nodiscard]] std::invoke_result_t<Call> asked(Call&& call) {
    try {
        return std::forward<Call>(call)();
    } catch (...) {
        return fail(errc::unavailable, thrown_text());
    }
}

/// Calls code of the user that may return nothing or a `result<>`, and may throw. Exceptions of
/// users end here, and in `call_step`, and nowhere else.
template <typename Call>
[[nodiscard]] result<> guarded(Call&& call) {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
            std::forward<Call>(call)();
            return {};
        } else {
            return std::forward<Call>(call)();
        }
    } catch (...) {
        return fail(thrown_text());
    }
}

}  // namespace bulk
