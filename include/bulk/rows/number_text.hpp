// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <type_traits>
#ifndef __cpp_lib_to_chars
#include <cstdlib>
#include <string>

#include <locale.h>
#endif

namespace bulk {

/// The integers that hold numbers; `char` and its kin hold text.
template <typename T>
concept whole_number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

enum class number_error : std::uint8_t { none, not_a_number, out_of_range };

/// Reads the whole of `text` as one number, in the same way whatever the locale.
template <whole_number T>
[[nodiscard]] constexpr number_error read_number(std::string_view text, T& value) {
    if constexpr (std::unsigned_integral<T>) {  // from_chars knows no negative number of these
        if (text.starts_with('-')) {
            std::int64_t below_zero{};
            const auto read = read_number(text, below_zero);
            value = 0;
            return read == number_error::none && below_zero < 0 ? number_error::out_of_range : read;
        }
    }
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || ec == std::errc::invalid_argument)
        return number_error::not_a_number;
    return ec == std::errc{} ? number_error::none : number_error::out_of_range;
}

template <std::floating_point T>
[[nodiscard]] number_error read_number(std::string_view text, T& value) {
#ifdef __cpp_lib_to_chars
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || ec == std::errc::invalid_argument)
        return number_error::not_a_number;
    if (ec != std::errc{}) return number_error::out_of_range;
    return std::isfinite(value) ? number_error::none : number_error::not_a_number;
#else  // libc++ before 20 reads only integers with from_chars
    if (text.empty() || text.front() == '+' ||
        text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
        return number_error::not_a_number;
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string copy{text};
    char* end = nullptr;
    if constexpr (std::same_as<T, float>)
        value = ::strtof_l(copy.c_str(), &end, plain);
    else if constexpr (std::same_as<T, double>)
        value = ::strtod_l(copy.c_str(), &end, plain);
    else
        value = ::strtold_l(copy.c_str(), &end, plain);
    if (end != copy.c_str() + copy.size()) return number_error::not_a_number;
    const bool is_too_small =
        value == 0 && text.substr(0, text.find_first_of("eE")).find_first_of("123456789") !=
                          std::string_view::npos;
    return std::isfinite(value) && !is_too_small ? number_error::none : number_error::out_of_range;
#endif
}

}  // namespace bulk
