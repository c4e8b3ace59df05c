// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace bulk {

/// One arrow of a state diagram.
template <typename State>
struct transition {
    State from;
    State to;
};

/// A state diagram as data: the whole lifecycle can be read, printed and checked at compile time,
/// and no `switch` anywhere repeats it.
template <typename State, std::size_t N>
using transition_table = std::array<transition<State>, N>;

template <typename State, std::size_t N>
[[nodiscard]] constexpr bool allows(const transition_table<State, N>& table, State from, State to) {
    return std::ranges::any_of(table, [=](auto t) { return t.from == from && t.to == to; });
}

/// Whether nothing but `again` can follow `state`: the diagram ends here, retries apart.
template <typename State, std::size_t N>
[[nodiscard]] constexpr bool ends_in(const transition_table<State, N>& table, State state,
                                     State again) {
    return std::ranges::none_of(table, [=](auto t) { return t.from == state && t.to != again; });
}

/// The first state that no arrow leads to and that is not `initial`; `initial` if there is none.
template <typename State, std::size_t N>
[[nodiscard]] constexpr State unreached(const transition_table<State, N>& table, State initial) {
    for (const auto& each : enumerators_of<State>) {
        const bool has_arrow =
            std::ranges::any_of(table, [&](const auto& t) { return t.to == each.value; });
        if (each.value != initial && !has_arrow) return each.value;
    }
    return initial;
}

}  // namespace bulk
