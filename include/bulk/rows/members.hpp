// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bulk {

/// One declared member: its name in the program and what was said about it.
template <typename Options>
struct declared_member {
    std::string_view name{};
    Options options{};
};

/// The declared members of a struct, in order. The pointers are part of the type, so that reading
/// and writing a member is a plain store; one class template for any number of them, so that 200
/// columns cost one instantiation.
template <typename Options, auto... Pointers>
struct member_list {
    static constexpr std::size_t size = sizeof...(Pointers);
    std::array<declared_member<Options>, size> all{};
};

namespace detail {

template <typename Struct, typename Member>
Member member_type(Member Struct::*);

}  // namespace detail

/// The type of the member that `Pointer` points to.
template <auto Pointer>
using member_type_of = decltype(detail::member_type(Pointer));

/// Calls `visit.template operator()<Pointer>(index)` for each member, in order.
template <typename Options, auto... Pointers, typename Visit>
constexpr void for_each_pointer(const member_list<Options, Pointers...>&, Visit&& visit) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (visit.template operator()<Pointers>(Index), ...);
    }(std::make_index_sequence<sizeof...(Pointers)>{});
}

}  // namespace bulk
