// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace bulk {

/// A number with a fixed count of decimals, kept as a whole number of the smallest unit: exact
/// where a double is not. `decimal<2>` holds amounts of money up to 92 thousand million million.
template <int Decimals>
    requires(Decimals >= 0 && Decimals <= 18)
struct decimal {
    std::int64_t units = 0;  ///< 12.34 is 1234 units of decimal<2>

    auto operator<=>(const decimal&) const = default;
};

/// Digits, with at most `Decimals` of them behind a point; fewer are filled up with zeros. More are
/// refused, even zeros: nobody rounds what somebody else has written.
template <int Decimals>
[[nodiscard]] result<decimal<Decimals>> from_text(std::type_identity<decimal<Decimals>>,
                                                  std::string_view text) {
    const auto refuse = [](std::string reason) {
        return fail(errc::invalid_row, std::move(reason));
    };
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto point = text.find('.');
    const auto whole = text.substr(0, point);
    const auto fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
    const auto are_digits = [](std::string_view digits) {
        return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!are_digits(whole) || (point != std::string_view::npos && !are_digits(fraction)))
        return refuse("it is not a number");
    if (fraction.size() > static_cast<std::size_t>(Decimals))
        return refuse(
            concat("it has ", fraction.size(), " decimals; at most ", Decimals, " are kept"));
    std::string digits{whole};
    digits += fraction;
    digits.append(static_cast<std::size_t>(Decimals) - fraction.size(), '0');
    std::uint64_t units = 0;
    const std::uint64_t most =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
    for (const char digit : digits) {
        const auto value = static_cast<std::uint64_t>(digit - '0');
        if (units > (most - value) / 10) return refuse("it is out of range");
        units = units * 10 + value;
    }
    return decimal<Decimals>{static_cast<std::int64_t>(negative ? 0 - units : units)};
}

template <int Decimals>
[[nodiscard]] std::string to_text(const decimal<Decimals>& number) {
    const bool negative = number.units < 0;
    const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(number.units)
                                    : static_cast<std::uint64_t>(number.units);
    std::string digits = concat(magnitude);
    if (digits.size() <= static_cast<std::size_t>(Decimals))
        digits.insert(0, static_cast<std::size_t>(Decimals) + 1 - digits.size(), '0');
    if constexpr (Decimals > 0) digits.insert(digits.size() - Decimals, 1, '.');
    return negative ? '-' + digits : digits;
}

template <int Decimals>
constexpr std::string_view column_type_name(std::type_identity<decimal<Decimals>>) {
    return "decimal";
}

}  // namespace bulk
