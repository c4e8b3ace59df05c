// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/context.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/operation/step_options.hpp>

#include <string_view>
#include <type_traits>

namespace bulk {

/// What `BULK_STEP` hands over: the method, as part of the type, and what was said about it.
template <auto Method>
struct method_step {
    std::string_view method{};
    step_options options{};
};

/// Whether a method can be called as a step of `Op`.
template <typename Op, typename Method>
[[nodiscard]] consteval bool is_step_method() {
    if constexpr (std::is_invocable_v<Method, Op&, const typename Op::row_type&,
                                      const typename Op::metadata_type&, context&>)
        return step_result<std::invoke_result_t<Method, Op&, const typename Op::row_type&,
                                                const typename Op::metadata_type&, context&>>;
    else
        return false;
}

/// `T`, but known only once `Anything` is: lets a macro ask whether `T{.attribute = value}` would
/// compile, and say so in words when it would not.
template <typename T, typename Anything>
struct known_with {
    using type = T;
};

}  // namespace bulk
