// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/pii.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/number_text.hpp>
#include <bulk/rows/time_text.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace bulk {

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// What a column holds, for people and for forms: bool, int8 to int64, uint8 to uint64, float,
/// double, decimal, text, enum, date, datetime, uuid, or for a type of the user's own what its
/// `column_type_name(std::type_identity<T>)` says ("text" if there is none).
template <typename T>
[[nodiscard]] constexpr std::string_view type_name() {
    constexpr auto by_size = [](std::array<std::string_view, 4> names) {
        return names[sizeof(T) >= 8 ? 3 : sizeof(T) / 2];
    };
    if constexpr (requires {
                      {
                          column_type_name(std::type_identity<T>{})
                      } -> std::convertible_to<std::string_view>;
                  })
        return column_type_name(std::type_identity<T>{});
    else if constexpr (is_optional<T> || is_pii<T>)
        return type_name<typename T::value_type>();
    else if constexpr (time_type<T>)
        return type_name_of_time<T>();
    else if constexpr (std::same_as<T, uuid>)
        return "uuid";
    else if constexpr (std::same_as<T, bool>)
        return "bool";
    else if constexpr (whole_number<T> && std::signed_integral<T>)
        return by_size({"int8", "int16", "int32", "int64"});
    else if constexpr (whole_number<T>)
        return by_size({"uint8", "uint16", "uint32", "uint64"});
    else if constexpr (std::floating_point<T>)
        return sizeof(T) == sizeof(float) ? "float" : "double";
    else if constexpr (described_enum<T>)
        return "enum";
    else
        return "text";
}

/// What a member holds when the marks of `optional` and `pii` are taken off.
template <typename T>
struct bare_type {
    using type = T;
};
template <typename T>
    requires(is_optional<T> || is_pii<T>)
struct bare_type<T> : bare_type<typename T::value_type> {};

template <typename T>
inline constexpr bool is_hidden = is_pii<T>;
template <typename T>
inline constexpr bool is_hidden<std::optional<T>> = is_hidden<T>;

namespace detail {

template <described_enum E>
inline constexpr auto choices = [] {
    std::array<std::string_view, enumerators_of<E>.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = enumerators_of<E>[i].name;
    return names;
}();

}  // namespace detail

/// The names that an enum's column may hold; empty for every other type.
template <typename T>
[[nodiscard]] constexpr std::span<const std::string_view> choices_of() {
    if constexpr (described_enum<T>)
        return detail::choices<T>;
    else if constexpr (is_optional<T> || is_pii<T>)
        return choices_of<typename T::value_type>();
    else
        return {};
}

}  // namespace bulk
