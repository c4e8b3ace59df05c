// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/number_text.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace bulk {

// Numbers as files have them, most of them short: eight digits are one load, one check and three
// multiplications, whatever their number. Each function reads `[begin, end)`, may look at (not use)
// seven bytes behind it, and returns false for whatever it was not made for; the caller then asks
// `read_number`, which knows all forms and all errors.

namespace detail {

/// The first eight bytes less '0', of which the last `count` (1 to 8) are kept.
inline std::uint64_t load_digits(const char* begin, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin, 8);
    return (word ^ 0x3030'3030'3030'3030) << (64 - 8 * count);
}

constexpr bool are_digits(std::uint64_t word) {
    return (((word + 0x7676'7676'7676'7676) | word) & 0x8080'8080'8080'8080) == 0;
}

/// Eight digits, the first in the lowest byte, as a number.
constexpr std::uint64_t number_of(std::uint64_t word) {
    word = (word * 10 + (word >> 8)) & 0x00ff'00ff'00ff'00ff;
    word = (word * 100 + (word >> 16)) & 0x0000'ffff'0000'ffff;
    return (word * 10'000 + (word >> 32)) & 0xffff'ffff;
}

/// Up to sixteen digits.
[[gnu::always_inline]] inline bool read_digits(const char* begin, std::size_t count,
                                               std::uint64_t& value) {
    if (count - 1 < 8) {
        const auto word = load_digits(begin, count);
        value = number_of(word);
        return are_digits(word);
    }
    if (count - 1 >= 16) return false;
    const auto high = load_digits(begin, count - 8), low = load_digits(begin + count - 8, 8);
    value = number_of(high) * 100'000'000 + number_of(low);
    return are_digits(high) && are_digits(low);
}

inline constexpr std::array<double, 23> powers_of_ten{
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace detail

inline constexpr bool has_fast_numbers = std::endian::native == std::endian::little;

template <whole_number T>
[[nodiscard, gnu::always_inline]] inline bool read_fast(const char* begin, const char* end,
                                                        T& value) {
    if constexpr (!has_fast_numbers) return false;
    const bool negative = std::signed_integral<T> && begin != end && *begin == '-';
    std::uint64_t digits = 0;
    if (!detail::read_digits(begin + negative, static_cast<std::size_t>(end - begin) - negative,
                             digits))
        return false;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (digits > most + negative) return false;
    value = static_cast<T>(negative ? -digits : digits);
    return true;
}

namespace detail {

/// Up to eight characters, digits with at most one point among them: the digits as one number, and
/// how many stand behind the point.
[[gnu::always_inline]] inline bool read_point(const char* begin, std::size_t size,
                                              std::uint64_t& digits, std::size_t& decimals) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin, 8);
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101, highs = 0x8080'8080'8080'8080;
    const std::uint64_t x = word ^ ones * '.';
    const std::uint64_t points = (x - ones) & ~x & highs & ~std::uint64_t{0} >> (64 - 8 * size);
    decimals = 0;
    if (points != 0) {
        const auto at = static_cast<std::size_t>(std::countr_zero(points)) / 8;
        decimals = size - at - 1;
        if (at == 0 || decimals == 0) return false;
        const std::uint64_t before = (std::uint64_t{1} << 8 * at) - 1;
        word = (word & before) | (word >> 8 & ~before);
        --size;
    }
    word = (word ^ 0x3030'3030'3030'3030) << (64 - 8 * size);
    digits = number_of(word);
    return are_digits(word);
}

}  // namespace detail

/// Digits with a point among them, fifteen at most: the number without the point is exact in a
/// double, and so is a power of ten up to the 22nd, so one division rounds once, as it must.
template <std::floating_point T>
[[nodiscard, gnu::always_inline]] inline bool read_fast(const char* begin, const char* end,
                                                        T& value) {
    if constexpr (!has_fast_numbers || !std::same_as<T, double>) return false;
    const bool negative = begin != end && *begin == '-';
    begin += negative;
    const auto size = static_cast<std::size_t>(end - begin);
    std::uint64_t digits = 0;
    std::size_t decimals = 0;
    if (size - 1 < 8) {
        if (!detail::read_point(begin, size, digits, decimals)) return false;
    } else {
        if (size - 1 >= 16) return false;
        const auto* point = static_cast<const char*>(std::memchr(begin, '.', size));
        if (point == nullptr) point = end;
        const auto whole = static_cast<std::size_t>(point - begin);
        if (!detail::read_digits(begin, whole, digits)) return false;
        if (point != end) {
            decimals = size - whole - 1;
            std::uint64_t fraction = 0;
            if (!detail::read_digits(point + 1, decimals, fraction)) return false;
            digits =
                digits * static_cast<std::uint64_t>(detail::powers_of_ten[decimals]) + fraction;
        }
        if (digits >> 53 != 0) return false;
    }
    const double exact =
        static_cast<double>(static_cast<std::int64_t>(digits)) / detail::powers_of_ten[decimals];
    value = static_cast<T>(negative ? -exact : exact);
    return true;
}

[[nodiscard, gnu::always_inline]] inline bool read_fast(const char* begin, const char* end,
                                                        bool& value) {
    if constexpr (!has_fast_numbers) return false;
    std::uint64_t word = 0;
    std::memcpy(&word, begin, 8);
    const auto size = end - begin;
    const bool is_true =
        (size == 4 && (word & 0xffff'ffff) == 0x6575'7274) || (size == 1 && (word & 0xff) == '1');
    const bool is_false = (size == 5 && (word & 0xff'ffff'ffff) == 0x65'736c'6166) ||
                          (size == 1 && (word & 0xff) == '0');
    value = is_true;
    return is_true || is_false;
}

}  // namespace bulk
