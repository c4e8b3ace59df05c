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
concept validates_metadata = requires(Op& op, const typename Op::metadata_type& metadata) {
    { op.validate(metadata) } -> validation_result;
};

template <typename Op>
concept validates_rows =
    requires(Op& op, const typename Op::row_type& row, const typename Op::metadata_type& metadata) {
        { op.validate(row, metadata) } -> validation_result;
    };

/// Whether every `validate` would be called. Overloads can be told apart only by calling them, so
/// where there are several, both forms must be there and right.
template <typename Op>
[[nodiscard]] consteval bool validators_are_right() {
    if (!names_validate<Op>) return true;
    if (requires { &Op::validate; }) return validates_metadata<Op> != validates_rows<Op>;
    return validates_metadata<Op> && validates_rows<Op>;
}

template <typename Op>
concept processes_rows = requires(Op& op, const typename Op::row_type& row,
                                  const typename Op::metadata_type& metadata, context& ctx) {
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

/// An operation whose parts can be looked at; whether they are right is what `check_operation` says.
template <typename Op>
concept declared_operation =
    operation_class<Op> && declared_row<typename Op::row_type> &&
    declared_metadata<typename Op::metadata_type> && !std::is_final_v<Op> && requires {
        Op::template bulk_operation<Op>();
        Op::bulk_count(highest_rank{});
    };

/// Whether each of the methods declared as steps can be named: public, one of its name, no template.
template <typename Op, int... I>
[[nodiscard]] consteval bool names_its_methods(std::integer_sequence<int, I...>) {
    return (true && ... && requires { Op::template bulk_step<Op>(index<I>{}); });
}

/// Whether `process` is written plainly, not as BULK_STEP(process, …).
template <typename Op, int... I>
[[nodiscard]] consteval bool has_plain_process(std::integer_sequence<int, I...>) {
    return names_process<Op> &&
           (true && ... && (Op::template bulk_step<Op>(index<I>{}).method != "process"));
}

template <typename Row, typename Metadata, typename... Steps>
[[nodiscard]] consteval bool check_class_steps(std::type_identity<step_list<Steps...>>) {
    return (true & ... & check_class_step<Steps, Row, Metadata>());
}

/// The sentences for operations that cannot work; whether there is enough right to go on, so that
/// one mistake is one error. Instantiated by every use of an operation.
template <typename Op>
[[nodiscard]] consteval bool check_operation() {
    static_assert(
        operation_class<Op>,
        "an operation derives publicly from bulk::operation<itself, its row, its metadata>");
    if constexpr (operation_class<Op>) {
        static_assert(declared_row<typename Op::row_type>,
                      "bulk::operation<Self, Row, Metadata>: Row is not declared; write "
                      "BULK_ROW(Row, its members...) after its definition, in its own namespace");
        static_assert(declared_metadata<typename Op::metadata_type>,
                      "bulk::operation<Self, Row, Metadata>: Metadata is not declared; write "
                      "BULK_METADATA(Metadata, its members...) after its definition, in its own "
                      "namespace");
        static_assert(!std::is_final_v<Op>, "an operation cannot be final");
        static_assert(
            requires { Op::template bulk_operation<Op>(); },
            "an operation needs BULK_OPERATION(\"its name\") inside, in a public place");
        static_assert(
            requires { Op::bulk_count(highest_rank{}); }, "BULK_STEP stands in a public place");
    }
    if constexpr (!declared_operation<Op>) {
        return false;
    } else {
        constexpr std::make_integer_sequence<int, method_steps<Op>> methods;
        constexpr bool nameable = names_its_methods<Op>(methods);
        static_assert(nameable,
                      "BULK_STEP: the method is public, the only one of its name, and no template");
        if constexpr (!nameable) {
            return false;
        } else {
            constexpr bool has_steps = method_steps<Op> + class_steps<Op>() > 0;
            static_assert(!names_process<Op> || processes_rows<Op>,
                          "process takes (const row&, const metadata&, bulk::context&), returns "
                          "void, bulk::result<> or bulk::outcome, and is public");
            static_assert(!names_steps<Op> || lists_steps<Op>,
                          "steps() takes nothing, returns bulk::steps(...), and is public");
            static_assert(!(has_plain_process<Op>(methods) && has_steps),
                          "an operation has process or steps, not both; make process a step with "
                          "BULK_STEP, or drop it");
            static_assert(names_process<Op> || names_steps<Op> || has_steps,
                          "an operation needs something to do: process(const row&, const "
                          "metadata&, bulk::context&), or BULK_STEP methods, or steps()");
            static_assert(!lists_steps<Op> || has_steps,
                          "an operation needs something to do: steps() lists nothing");
            static_assert(validators_are_right<Op>(),
                          "validate takes (const metadata&) or (const row&, const metadata&), "
                          "returns void or bulk::result<>, and is public");
            if constexpr (lists_steps<Op>)
                return has_steps &&
                       check_class_steps<typename Op::row_type, typename Op::metadata_type>(
                           std::type_identity<decltype(std::declval<Op&>().steps())>{});
            else
                return has_steps || processes_rows<Op>;
        }
    }
}

}  // namespace bulk
