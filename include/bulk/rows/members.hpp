// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
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

/// Column names match in any case and with any spaces.
[[nodiscard]] constexpr bool same_column(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (true) {
        while (i < a.size() && a[i] == ' ') ++i;
        while (j < b.size() && b[j] == ' ') ++j;
        if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
        if (lower_case(a[i++]) != lower_case(b[j++])) return false;
    }
}

/// Whether two descriptions have one name, or are of one member. Compares hashes first: 200 columns
/// make 20 000 pairs, and a compiler counts every step.
template <typename Description, std::size_t N>
[[nodiscard]] consteval bool has_twins(const std::array<Description, N>& all) {
    const auto hash = [](std::string_view text) {
        std::uint64_t hash = 14695981039346656037ULL;
        for (const char c : text)
            if (c != ' ')
                hash = (hash ^ static_cast<unsigned char>(lower_case(c))) * 1099511628211ULL;
        return hash;
    };
    std::array<std::uint64_t, N> names{}, members{};
    for (std::size_t i = 0; i < N; ++i) {
        names[i] = hash(all[i].name);
        members[i] = hash(all[i].member);
        for (std::size_t j = 0; j < i; ++j)
            if ((names[i] == names[j] && same_column(all[i].name, all[j].name)) ||
                (members[i] == members[j] && all[i].member == all[j].member))
                return true;
    }
    return false;
}

}  // namespace bulk
