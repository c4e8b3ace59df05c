// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/feed_partition.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/time_text.hpp>
#include <bulk/rows/to_text.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

namespace bulk {

template <typename T>
inline constexpr bool is_decimal = false;
template <int Decimals>
inline constexpr bool is_decimal<decimal<Decimals>> = true;

/// What a feed can be cut along: whole numbers that fit into 64 bits with a sign, decimals, days and
/// moments. Not floating point: between two of them there is always another.
template <typename T>
concept feed_position =
    (std::integral<T> && !std::same_as<T, bool> && (sizeof(T) < 8 || std::signed_integral<T>)) ||
    is_decimal<T> || time_type<T>;

/// In the smallest unit of its type.
template <feed_position T>
[[nodiscard]] constexpr std::int64_t units_of(const T& at) {
    if constexpr (std::integral<T>)
        return static_cast<std::int64_t>(at);
    else if constexpr (is_decimal<T>)
        return at.units;
    else if constexpr (date_type<T>)
        return std::chrono::sys_days{at}.time_since_epoch().count();
    else
        return static_cast<std::int64_t>(at.time_since_epoch().count());
}

/// The nearest position that the type has.
template <feed_position T>
[[nodiscard]] constexpr T position_at(std::int64_t units) {
    if constexpr (std::integral<T>) {
        if (units < static_cast<std::int64_t>(std::numeric_limits<T>::min()))
            return std::numeric_limits<T>::min();
        if (units > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
            return std::numeric_limits<T>::max();
        return static_cast<T>(units);
    } else if constexpr (is_decimal<T>) {
        return T{units};
    } else if constexpr (date_type<T>) {
        return T{std::chrono::sys_days{std::chrono::days{units}}};
    } else {
        return T{typename T::duration{units}};
    }
}

template <feed_position T>
[[nodiscard]] std::string position_text(std::int64_t units) {
    return to_text(position_at<T>(units));
}

/// Positions from one to another; both ends belong to it. `T` is a `feed_position`: whoever uses a feed
/// says so.
template <typename T>
struct source_range {
    T first{};
    T last{};

    bool operator==(const source_range&) const = default;
};

template <feed_position T>
[[nodiscard]] constexpr key_range to_key_range(const source_range<T>& range) {
    return {units_of(range.first), units_of(range.last)};
}

template <feed_position T>
[[nodiscard]] constexpr source_range<T> to_source_range(const key_range& range) {
    return {position_at<T>(range.first), position_at<T>(range.last)};
}

}  // namespace bulk
