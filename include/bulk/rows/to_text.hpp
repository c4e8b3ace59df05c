// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/number_text.hpp>
#include <bulk/rows/time_text.hpp>

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace bulk {

// to_text(value) -> std::string is the other half of from_text: what it writes, from_text reads as
// the same value. A value that no file can hold (NaN and infinities, an enumerator without a name, a
// day that does not exist, a year before 0 or after 9999) becomes a text that from_text refuses: a bad
// row later, never another value. Overload it in your type's own namespace beside from_text.

template <whole_number T>
[[nodiscard]] std::string to_text(T value) {
    return concat(value);
}

/// The shortest form that is read as the same number.
template <std::floating_point T>
[[nodiscard]] std::string to_text(T value) {
#ifdef __cpp_lib_to_chars
    char digits[64];
    const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, value);
    return std::string(digits, end);
#else
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value;
    return text.str();
#endif
}

[[nodiscard]] inline std::string to_text(bool value) { return value ? "true" : "false"; }
[[nodiscard]] inline std::string to_text(const std::string& text) { return text; }
[[nodiscard]] inline std::string to_text(std::string_view text) { return std::string{text}; }

template <described_enum E>
[[nodiscard]] std::string to_text(E value) {
    const auto name = name_of(value);
    if (name.empty()) return concat(static_cast<std::int64_t>(value));
    return std::string{name};
}

namespace detail {

[[nodiscard]] inline std::string padded(std::int64_t number, std::size_t width) {
    std::string digits = concat(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

/// Years beyond four digits have a sign, as ISO 8601 has it; no format reads that.
[[nodiscard]] inline std::string year_text(std::int64_t year) {
    if (year >= 0 && year <= 9999) return padded(year, 4);
    return concat(year < 0 ? '-' : '+', padded(year < 0 ? -year : year, 4));
}

}  // namespace detail

/// By a format of `from_text`; the empty one is ISO 8601, in UTC.
template <time_type T>
[[nodiscard]] std::string to_text(const T& value, std::string_view format = {}) {
    using namespace std::chrono;
    using detail::padded;
    year_month_day day{};
    std::int64_t year = 0;
    // A year of `year_month_day` has 16 bits, a moment's may have more: 400 of them, 146 097 days, are
    // the same in every calendar.
    const auto split = [&](sys_days date) {
        constexpr std::int64_t period = 146'097;
        std::int64_t periods = date.time_since_epoch().count() / period;
        std::int64_t rest = date.time_since_epoch().count() % period;
        if (rest < 0) {
            rest += period;
            --periods;
        }
        day = sys_days{days{rest}};
        year = static_cast<int>(day.year()) + periods * 400;
    };
    std::string fraction;
    hh_mm_ss<seconds> time{};
    if constexpr (std::same_as<T, year_month_day>) {
        day = value;
        year = static_cast<int>(day.year());
    } else if constexpr (std::same_as<T, sys_days>) {
        split(value);
    } else {
        // Towards zero first: midnight before the first moment of all cannot be told in its unit.
        auto date = duration_cast<days>(value.time_since_epoch());
        auto since_midnight = value.time_since_epoch() - date;
        if (since_midnight.count() < 0) {
            since_midnight += days{1};
            date -= days{1};
        }
        split(sys_days{date});
        time = hh_mm_ss<seconds>{floor<seconds>(since_midnight)};
        const auto rest =
            duration_cast<nanoseconds>(since_midnight - floor<seconds>(since_midnight));
        if (rest.count() > 0) {
            fraction = '.' + padded(rest.count(), 9);
            fraction.erase(fraction.find_last_not_of('0') + 1);
        }
    }
    if (format.empty()) format = date_type<T> ? iso_date : iso_moment;
    std::string text;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
            text += format[i];
            continue;
        }
        switch (format[++i]) {
            case 'Y':
                text += detail::year_text(year);
                break;
            case 'm':
                text += padded(static_cast<unsigned>(day.month()), 2);
                break;
            case 'd':
                text += padded(static_cast<unsigned>(day.day()), 2);
                break;
            case 'H':
                text += padded(time.hours().count(), 2);
                break;
            case 'M':
                text += padded(time.minutes().count(), 2);
                break;
            case 'S':
                text += padded(time.seconds().count(), 2) + fraction;
                break;
            case 'z':
                text += 'Z';
                break;
            default:
                text += format[i];
        }
    }
    return text;
}

template <typename T>
[[nodiscard]] std::string to_text(const std::optional<T>& value) {
    return value ? to_text(*value) : std::string{};
}

/// A type that can be written to a file.
template <typename T>
concept writable_as_text = requires(const T& value) {
    { to_text(value) } -> std::convertible_to<std::string>;
};

}  // namespace bulk
