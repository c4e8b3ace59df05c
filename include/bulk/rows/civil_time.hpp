// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/rows/time_text.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bulk {

/// A date, or a moment in UTC, in the parts that formats name.
struct civil_time {
    std::int64_t year = 0;  ///< `day` has only those of 16 bits
    std::chrono::year_month_day day{};
    std::chrono::hh_mm_ss<std::chrono::seconds> time{};
    std::chrono::nanoseconds fraction{};
};

/// A year of `year_month_day` has 16 bits, a moment's may have more: 400 of them, 146 097 days, are
/// the same in every calendar.
[[nodiscard]] inline civil_time civil_day_of(std::chrono::sys_days date) {
    constexpr std::int64_t period = 146'097;
    std::int64_t periods = date.time_since_epoch().count() / period;
    std::int64_t rest = date.time_since_epoch().count() % period;
    if (rest < 0) {
        rest += period;
        --periods;
    }
    const std::chrono::year_month_day day{std::chrono::sys_days{std::chrono::days{rest}}};
    return {.year = static_cast<int>(day.year()) + periods * 400, .day = day};
}

template <time_type T>
[[nodiscard]] civil_time civil_time_of(const T& value) {
    using namespace std::chrono;
    if constexpr (std::same_as<T, year_month_day>) {
        return {.year = static_cast<int>(value.year()), .day = value};
    } else if constexpr (std::same_as<T, sys_days>) {
        return civil_day_of(value);
    } else {
        // Towards zero first: midnight before the first moment of all cannot be told in its unit.
        auto date = duration_cast<days>(value.time_since_epoch());
        auto since_midnight = value.time_since_epoch() - date;
        if (since_midnight.count() < 0) {
            since_midnight += days{1};
            date -= days{1};
        }
        const auto whole = floor<seconds>(since_midnight);
        civil_time civil = civil_day_of(sys_days{date});
        civil.time = hh_mm_ss<seconds>{whole};
        civil.fraction = duration_cast<nanoseconds>(since_midnight - whole);
        return civil;
    }
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

/// Without the zeros at its end, and nothing where it is zero.
[[nodiscard]] inline std::string fraction_text(std::chrono::nanoseconds fraction) {
    if (fraction.count() <= 0) return {};
    std::string text = '.' + padded(fraction.count(), 9);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

}  // namespace detail

[[nodiscard]] inline std::string civil_text(const civil_time& civil, std::string_view format) {
    using detail::padded;
    std::string text;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
            text += format[i];
            continue;
        }
        switch (format[++i]) {
            case 'Y':
                text += detail::year_text(civil.year);
                break;
            case 'm':
                text += padded(static_cast<unsigned>(civil.day.month()), 2);
                break;
            case 'd':
                text += padded(static_cast<unsigned>(civil.day.day()), 2);
                break;
            case 'H':
                text += padded(civil.time.hours().count(), 2);
                break;
            case 'M':
                text += padded(civil.time.minutes().count(), 2);
                break;
            case 'S':
                text +=
                    padded(civil.time.seconds().count(), 2) + detail::fraction_text(civil.fraction);
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

}  // namespace bulk
