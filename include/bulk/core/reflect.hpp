// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes Boost.Describe; every other file asks these questions instead, so
// that C++26 reflection can replace it in one place.

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace bulk {

/// An enumeration declared with `BOOST_DESCRIBE_ENUM`.
template <typename E>
concept described_enum = std::is_enum_v<E> && boost::describe::has_describe_enumerators<E>::value;

template <described_enum E>
struct enumerator {
    E value{};
    std::string_view name{};
};

/// Every enumerator with its own spelling, in the order of the declaration.
template <described_enum E>
inline constexpr auto enumerators_of = []<typename... D>(boost::mp11::mp_list<D...>) {
    return std::array<enumerator<E>, sizeof...(D)>{{{D::value, D::name}...}};
}(boost::mp11::mp_rename<boost::describe::describe_enumerators<E>, boost::mp11::mp_list>{});

/// The enumerator's own spelling: it is what storage, files and HTTP show. Empty for a value that
/// is none of the enumerators.
template <described_enum E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
    for (const auto& each : enumerators_of<E>)
        if (each.value == value) return each.name;
    return {};
}

template <described_enum E>
[[nodiscard]] constexpr std::optional<E> from_name(std::string_view name) {
    for (const auto& each : enumerators_of<E>)
        if (each.name == name) return each.value;
    return std::nullopt;
}

/// Whether a value is one of the enumerators of its type, described or not: the compiler writes any other as a cast,
/// `(type)7`.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_suffix(text.size() - text.find_last_of(']'));
    const auto last = text.find_last_not_of("0123456789");
    return last + 1 == text.size() || text[last] != ')';
}

/// Whether each enumerator is described, of an enumeration that counts from 0 without a gap.
template <described_enum E>
[[nodiscard]] consteval bool describes_all() {
    constexpr auto count = enumerators_of<E>.size();
    for (std::size_t i = 0; i < count; ++i)
        if (enumerators_of<E>[i].value != static_cast<E>(i)) return false;
    return !is_enumerator<static_cast<E>(count)>();
}

/// A class declared with `BOOST_DESCRIBE_STRUCT`.
template <typename T>
concept described_struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

/// Calls `visit(name, pointer)` for each member, in the order of the declaration.
template <described_struct T, typename Visit>
constexpr void for_each_described(Visit visit) {
    using members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<members>(
        [&](auto member) { visit(std::string_view{member.name}, member.pointer); });
}

}  // namespace bulk
