// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/operation/description.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bulk {

namespace detail {

template <std::size_t N>
consteval bool has_twin_operations(const std::array<operation_description, N>& operations) {
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (same_name(operations[i].name, operations[j].name)) return true;
    return false;
}

}  // namespace detail

/// No operation has this name: which one was probably meant, or which there are.
[[nodiscard]] inline error unknown_operation(std::string_view name,
                                             std::span<const operation_description> known) {
    std::vector<std::string_view> names;
    for (const auto& each : known) names.push_back(each.name);
    std::string hint = "; there is";
    if (const auto near = nearest_name(name, names)) {
        hint = concat("; did you mean '", *near, "'?");
    } else {
        for (const std::string_view each : names)
            hint += concat(hint.ends_with('\'') ? ", '" : " '", each, '\'');
    }
    return {errc::not_found, concat("no operation is named '", name, '\'', hint)};
}

/// The operations of a program, known at compile time.
template <typename... Ops>
class operation_list {
public:
    static constexpr std::size_t size = sizeof...(Ops);
    static constexpr std::array<operation_description, size> descriptions{description_of<Ops>...};

    static_assert(size > 0, "bulk::operations<...> needs at least one operation");
    static_assert(!detail::has_twin_operations(descriptions),
                  "bulk::operations<...>: two operations have the same name (case does not count)");

    /// By name, in any case. Fails with `errc::not_found` and the name that was probably meant.
    [[nodiscard]] static result<const operation_description*> find(std::string_view name) {
        for (const auto& each : descriptions)
            if (same_name(each.name, name)) return &each;
        return std::unexpected{unknown_operation(name, descriptions)};
    }

    /// Calls `visit(std::type_identity<Op>{})` for the operation of that name; fails as `find` does.
    template <typename Visit>
    [[nodiscard]] static result<> visit(std::string_view name, Visit&& visit) {
        const bool found = (false || ... ||
                            (same_name(description_of<Ops>.name, name) &&
                             (visit(std::type_identity<Ops>{}), true)));
        if (!found) return std::unexpected{unknown_operation(name, descriptions)};
        return {};
    }
};

template <typename... Ops>
inline constexpr operation_list<Ops...> operations{};

}  // namespace bulk
