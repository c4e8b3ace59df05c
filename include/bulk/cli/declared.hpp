// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

namespace bulk::cli {

template <typename... Ts>
struct type_list {
    static constexpr std::size_t size = sizeof...(Ts);
};

template <typename... As, typename... Bs>
consteval type_list<As..., Bs...> operator+(type_list<As...>, type_list<Bs...>) {
    return {};
}

/// Feeds have raw items, operations have rows. Whether one is right is checked where it is used.
template <typename Declared>
concept declared_as_feed = requires { typename Declared::raw_type; };

/// What a program has, told apart by what it is.
template <typename... Declared>
using operations_among =
    decltype((type_list<>{} + ... +
              std::conditional_t<declared_as_feed<Declared>, type_list<>, type_list<Declared>>{}));
template <typename... Declared>
using feeds_among =
    decltype((type_list<>{} + ... +
              std::conditional_t<declared_as_feed<Declared>, type_list<Declared>, type_list<>>{}));

}  // namespace bulk::cli
