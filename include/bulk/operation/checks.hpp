// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/member_names.hpp>
#include <bulk/operation/operation.hpp>
#include <bulk/operation/outcome.hpp>
#include <bulk/operation/step.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace bulk {

/// Nothing, or a `result<>`: what a validator returns.
template <typename T>
concept validation_result = std::is_void_v<T> || std::convertible_to<T, result<>>;

template <typename Op>
concept validates_metadata = requires(Op& op, const typename Op::metadata& metadata) {
    { op.validate(metadata) } -> validation_result;
};

template <typename Op>
concept validates_rows =
    requires(Op& op, const typename Op::row& row, const typename Op::metadata& metadata) {
        { op.validate(row, metadata) } -> validation_result;
    };

template <typename Op>
concept processes_rows = requires(Op& op, const typename Op::row& row,
                                  const typename Op::metadata& metadata, context& ctx) {
    { op.process(row, metadata, ctx) } -> step_result;
};

template <typename T>
inline constexpr int listed_steps_in = -1;
template <typename... Steps>
inline constexpr int listed_steps_in<step_list<Steps...>> = sizeof...(Steps);

template <typename Op>
concept lists_steps = requires(Op& op) { requires listed_steps_in<decltype(op.steps())> >= 0; };

/// How many classes `steps()` lists; 0 where there is no `steps()`.
template <typename Op>
[[nodiscard]] consteval int class_steps() {
    if constexpr (lists_steps<Op>)
        return listed_steps_in<decltype(std::declval<Op&>().steps())>;
    else
        return 0;
}

/// An operation whose class is whole as far as its parts go; whether the parts are right is what
/// `check_operation` says.
template <typename Op>
concept declared_operation = operation_class<Op> && requires { Op::template bulk_operation<Op>(); };

/// Whether `process` is the operation's one step: written plainly, not as BULK_STEP(process, …).
template <declared_operation Op>
[[nodiscard]] consteval bool has_plain_process() {
    if constexpr (method_steps<Op> == 1)
        return names_process<Op> && Op::template bulk_step<Op>(index<0>{}).method != "process";
    else
        return names_process<Op>;
}

template <typename Row, typename Metadata, typename... Steps>
[[nodiscard]] consteval bool check_class_steps(std::type_identity<step_list<Steps...>>) {
    return (true & ... & check_class_step<Steps, Row, Metadata>());
}

/// The sentences for operations that cannot work; whether there is enough right to go on, so that
/// one mistake is one error. Instantiated by every use of an operation.
template <typename Op>
[[nodiscard]] consteval bool check_operation() {
    static_assert(operation_class<Op>,
                  "an operation derives from bulk::operation<itself, its row, its metadata>");
    static_assert(!operation_class<Op> || declared_operation<Op>,
                  "an operation needs BULK_OPERATION(\"its name\") inside, in a public place");
    if constexpr (!declared_operation<Op>) {
        return false;
    } else {
        constexpr bool has_steps = method_steps<Op> + class_steps<Op>() > 0;
        static_assert(!names_process<Op> || processes_rows<Op>,
                      "process takes (const row&, const metadata&, bulk::context&) and returns "
                      "void, bulk::result<> or bulk::outcome");
        static_assert(!names_steps<Op> || lists_steps<Op>,
                      "steps() takes nothing and returns bulk::steps(...)");
        static_assert(!(has_plain_process<Op>() && has_steps),
                      "an operation has process or steps, not both; make process a step with "
                      "BULK_STEP, or drop it");
        static_assert(names_process<Op> || names_steps<Op> || has_steps,
                      "an operation needs something to do: process(const row&, const metadata&, "
                      "bulk::context&), or BULK_STEP methods, or steps()");
        static_assert(!lists_steps<Op> || has_steps,
                      "an operation needs something to do: steps() lists nothing");
        static_assert(!names_validate<Op> || validates_metadata<Op> || validates_rows<Op>,
                      "validate takes (const metadata&) or (const row&, const metadata&) and "
                      "returns void or bulk::result<>");
        if constexpr (lists_steps<Op>)
            return has_steps && check_class_steps<typename Op::row, typename Op::metadata>(
                                    std::type_identity<decltype(std::declval<Op&>().steps())>{});
        else
            return has_steps || processes_rows<Op>;
    }
}

}  // namespace bulk
