// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/checks.hpp>
#include <bulk/operation/context.hpp>
#include <bulk/operation/merge.hpp>
#include <bulk/operation/method_step.hpp>
#include <bulk/operation/operation.hpp>
#include <bulk/operation/step.hpp>
#include <bulk/operation/step_options.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace bulk {

namespace detail {

template <typename Op>
struct listed_steps {
    using type = step_list<>;
};
template <lists_steps Op>
struct listed_steps<Op> {
    using type = decltype(std::declval<Op&>().steps());
};

/// Every step as declared: classes as listed, then methods as written; or `process` alone, under
/// the operation's name.
template <typename Op, typename... Classes, int... Methods>
consteval auto declared_steps(std::type_identity<step_list<Classes...>>,
                              std::integer_sequence<int, Methods...>) {
    if constexpr (sizeof...(Classes) + sizeof...(Methods) == 0) {
        return std::array{
            declared_step{.options = {.name = Op::template bulk_operation<Op>().name}}};
    } else {
        std::array<declared_step, sizeof...(Classes) + sizeof...(Methods)> all{
            declared_step{
                .options = Classes::options,
                .kind = kind_of_step<Classes, typename Op::row_type, typename Op::metadata_type>(),
                .is_class = true}...,
            declared_step{.options = Op::template bulk_step<Op>(index<Methods>{}).options}...};
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].position = all[i].is_class ? i : i - sizeof...(Classes);
        return all;
    }
}

}  // namespace detail

/// The merged steps of an operation, in the order in which they run. Everything about them but
/// their code is a compile-time constant.
template <typename Op>
    requires(check_operation<Op>())
inline constexpr auto merged_steps_of = [] {
    using listed = typename detail::listed_steps<Op>::type;
    constexpr auto declared = detail::declared_steps<Op>(
        std::type_identity<listed>{}, std::make_integer_sequence<int, method_steps<Op>>{});
    static_assert(!has_twin_steps(declared),
                  "two steps of an operation have the same name (case does not count)");
    return merge(declared);
}();

template <typename Op>
inline constexpr auto step_descriptions = [] {
    std::array<step_description, merged_steps_of<Op>.size> descriptions{};
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
        const auto& [options, kind, is_class, position] = merged_steps_of<Op>.steps[i];
        descriptions[i] = {
            .index = static_cast<int>(i),
            .name = options.name,
            .kind = kind,
            .max_retries = options.max_retries,
            .backoff = options.backoff,
            .poll_interval = kind == step_kind::polled
                                 ? options.poll_interval.value_or(default_poll_interval)
                                 : std::chrono::milliseconds{},
            .timeout = options.timeout,
            .allow_operation_retry = options.allow_operation_retry};
    }
    return descriptions;
}();

/// One step of one operation object, ready to be called. `Code` is the step class, or the
/// operation itself when the step is one of its methods.
template <typename Op, std::size_t Index, typename Code>
class bound_step {
    static constexpr const declared_step& declared_ = merged_steps_of<Op>.steps[Index];

public:
    static constexpr const step_description& description = step_descriptions<Op>[Index];
    static constexpr step_kind kind = description.kind;

    explicit bound_step(Code& code) : code_{&code} {}

    /// Calls the user's code directly; what it throws goes on to the caller.
    decltype(auto) execute(const typename Op::row_type& row,
                           const typename Op::metadata_type& metadata, context& ctx) const {
        if constexpr (declared_.is_class)
            return code_->execute(row, metadata, ctx);
        else if constexpr (method_steps<Op> == 0)
            return code_->process(row, metadata, ctx);
        else
            return call(Op::template bulk_step<Op>(index<static_cast<int>(declared_.position)>{}),
                        row, metadata, ctx);
    }

    decltype(auto) is_complete(const typename Op::row_type& row,
                               const typename Op::metadata_type& metadata, context& ctx) const
        requires(kind == step_kind::polled)
    {
        return code_->is_complete(row, metadata, ctx);
    }

    [[nodiscard]] std::string signal_key(const typename Op::row_type& row,
                                         const typename Op::metadata_type& metadata) const
        requires(kind == step_kind::signalled)
    {
        return std::string{code_->signal_key(row, metadata)};
    }

private:
    template <auto Method>
    decltype(auto) call(method_step<Method>, const typename Op::row_type& row,
                        const typename Op::metadata_type& metadata, context& ctx) const {
        return std::invoke(Method, *code_, row, metadata, ctx);
    }

    Code* code_;
};

/// The steps of one operation object as a Hana tuple: the loop over it is unrolled by the compiler
/// and each call is direct. Holds the objects that `steps()` made, so it stays where it is.
template <typename Op>
class step_table {
public:
    static constexpr std::size_t size = merged_steps_of<Op>.size;

    explicit step_table(Op& operation) : operation_{operation}, classes_{listed(operation)} {}
    step_table(const step_table&) = delete;
    step_table& operator=(const step_table&) = delete;

    /// A Hana tuple of `bound_step`s, in the order in which they run.
    [[nodiscard]] auto steps() {
        return [this]<std::size_t... I>(std::index_sequence<I...>) {
            return boost::hana::make_tuple(this->template bind<I>()...);
        }(std::make_index_sequence<size>{});
    }

    /// Calls `visit(step)` for the steps from number `first` on, as long as it returns true;
    /// whether it always did.
    template <typename Visit>
    bool visit_from(std::size_t first, Visit&& visit) {
        return boost::hana::unpack(steps(), [&](auto... step) {
            std::size_t at = 0;
            return (true && ... && (at++ < first || visit(step)));
        });
    }

private:
    using listed_type = typename detail::listed_steps<Op>::type;

    static listed_type listed(Op& operation) {
        if constexpr (lists_steps<Op>)
            return operation.steps();
        else
            return {};
    }

    template <std::size_t I>
    auto bind() {
        constexpr auto& declared = merged_steps_of<Op>.steps[I];
        if constexpr (declared.is_class) {
            auto& code = boost::hana::at_c<declared.position>(classes_.steps);
            return bound_step<Op, I, std::remove_reference_t<decltype(code)>>{code};
        } else {
            return bound_step<Op, I, Op>{operation_};
        }
    }

    Op& operation_;
    listed_type classes_;
};

}  // namespace bulk
