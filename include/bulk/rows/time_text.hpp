// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace bulk {

/// A day: `std::chrono::year_month_day` or `std::chrono::sys_days`.
template <typename T>
concept date_type =
    std::same_as<T, std::chrono::year_month_day> || std::same_as<T, std::chrono::sys_days>;

template <typename T>
inline constexpr bool is_sys_time = false;
template <typename Duration>
inline constexpr bool is_sys_time<std::chrono::sys_time<Duration>> = true;

/// A moment: `std::chrono::sys_time` of seconds or finer.
template <typename T>
concept moment_type = is_sys_time<T> && !date_type<T>;

template <typename T>
concept time_type = date_type<T> || moment_type<T>;

/// What ISO 8601 says of a day and of a moment; a moment without offset is in UTC.
inline constexpr std::string_view iso_date = "%Y-%m-%d";
inline constexpr std::string_view iso_moment = "%Y-%m-%dT%H:%M:%S%z";

/// The parts of a date and time that a format can name.
struct time_parts {
    int year = 1970, month = 1, day = 1;
    int hour = 0, minute = 0, second = 0;
    std::int64_t nanosecond = 0;
    int offset_minutes = 0;  ///< east of Greenwich
};

namespace detail {

/// Reads a text by a format, from left to right.
class time_reader {
public:
    time_reader(std::string_view text, time_parts& parts) : left_{text}, parts_{parts} {}

    [[nodiscard]] bool read(std::string_view format) {
        for (std::size_t i = 0; i < format.size(); ++i) {
            if (format[i] == '%' && i + 1 < format.size()) {
                if (!read_part(format[++i])) return false;
            } else if (format[i] == 'T' && left_.starts_with(' ')) {
                left_.remove_prefix(1);  // what databases write instead
            } else if (!skip(format[i])) {
                return false;
            }
        }
        return left_.empty();
    }

private:
    bool skip(char c) {
        if (!left_.starts_with(c)) return false;
        left_.remove_prefix(1);
        return true;
    }

    bool digits(std::size_t least, std::size_t most, int& value) {
        std::size_t count = 0;
        int read = 0;
        while (count < most && count < left_.size() && left_[count] >= '0' && left_[count] <= '9')
            read = read * 10 + (left_[count++] - '0');
        if (count < least) return false;
        left_.remove_prefix(count);
        value = read;
        return true;
    }

    bool fraction() {
        if (!skip('.') && !skip(',')) return true;
        std::int64_t unit = 100'000'000;
        std::size_t count = 0;
        for (; count < left_.size() && left_[count] >= '0' && left_[count] <= '9';
             ++count, unit /= 10)
            parts_.nanosecond += (left_[count] - '0') * unit;
        left_.remove_prefix(count);
        return count > 0;
    }

    /// Nothing, Z, +hh, +hhmm or +hh:mm.
    bool offset() {
        if (left_.empty() || skip('Z') || skip('z')) return true;
        const bool west = left_.starts_with('-');
        if (!west && !left_.starts_with('+')) return false;
        left_.remove_prefix(1);
        int hours = 0, minutes = 0;
        if (!digits(2, 2, hours)) return false;
        if (skip(':') || !left_.empty())
            if (!digits(2, 2, minutes)) return false;
        if (hours > 23 || minutes > 59) return false;
        parts_.offset_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
        return true;
    }

    bool read_part(char part) {
        switch (part) {
            case 'Y':
                return digits(4, 4, parts_.year);
            case 'm':
                return digits(1, 2, parts_.month);
            case 'd':
                return digits(1, 2, parts_.day);
            case 'H':
                return digits(1, 2, parts_.hour);
            case 'M':
                return digits(2, 2, parts_.minute);
            case 'S':
                return digits(2, 2, parts_.second) && fraction();
            case 'z':
                return offset();
            case '%':
                return skip('%');
            default:
                return false;
        }
    }

    std::string_view left_;
    time_parts& parts_;
};

}  // namespace detail

namespace detail {

/// A second and a part of it as a moment, of which what it cannot hold is cut off. False when the
/// moment is beyond its range: nanoseconds in 64 bits go from 1677 to 2262.
template <moment_type T>
[[nodiscard]] constexpr bool put_moment(std::chrono::sys_seconds second,
                                        std::chrono::nanoseconds part, T& moment) {
    using namespace std::chrono;
    using duration = typename T::duration;
    using period = typename duration::period;
    if constexpr (std::integral<typename duration::rep> && period::num == 1 && period::den > 1) {
        const bool is_negative = second.time_since_epoch() < seconds{0};
        // Below zero from the second behind: the one before may be out of range.
        const std::int64_t whole = second.time_since_epoch().count() + (is_negative ? 1 : 0);
        const std::int64_t units = static_cast<std::int64_t>(floor<duration>(part).count()) -
                                   (is_negative ? std::int64_t{period::den} : 0);
        typename duration::rep count{};
        if (__builtin_mul_overflow(whole, std::int64_t{period::den}, &count) ||
            __builtin_add_overflow(count, units, &count))
            return false;
        moment = T{duration{count}};
    } else if constexpr (period::den == 1) {
        moment = floor<duration>(second);
    } else {
        moment = floor<duration>(second + part);
    }
    return true;
}

}  // namespace detail

/// Whether a format has only what is known here: %Y %m %d %H %M %S %z %%.
[[nodiscard]] constexpr bool is_time_format(std::string_view format) {
    constexpr std::string_view known = "YmdHMSz%";
    for (auto at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 2))
        if (at + 1 == format.size() || !known.contains(format[at + 1])) return false;
    return true;
}

/// By a format; the empty one is ISO 8601. Impossible dates such as February 30 are refused.
template <time_type T>
[[nodiscard]] result<T> from_text(std::type_identity<T>, std::string_view text,
                                  std::string_view format = {}) {
    using namespace std::chrono;
    if (format.empty()) format = date_type<T> ? iso_date : iso_moment;
    time_parts parts;
    if (!detail::time_reader{text, parts}.read(format))
        return fail(errc::invalid_row, concat("it is not a ", date_type<T> ? "date" : "time",
                                              " in the form ", format));
    const year_month_day day{year{parts.year}, month{static_cast<unsigned>(parts.month)},
                             std::chrono::day{static_cast<unsigned>(parts.day)}};
    if (!day.ok()) return fail(errc::invalid_row, "there is no such day");
    if constexpr (std::same_as<T, year_month_day>) {
        return day;
    } else if constexpr (std::same_as<T, sys_days>) {
        return sys_days{day};
    } else {
        if (parts.hour > 23 || parts.minute > 59 || parts.second > 60)
            return fail(errc::invalid_row, "there is no such time of day");
        const sys_seconds second = sys_days{day} + hours{parts.hour} + minutes{parts.minute} +
                                   seconds{parts.second} - minutes{parts.offset_minutes};
        T moment;
        if (!detail::put_moment(second, nanoseconds{parts.nanosecond}, moment))
            return fail(errc::invalid_row, "it is out of range");
        return moment;
    }
}

template <time_type T>
constexpr std::string_view type_name_of_time() {
    return date_type<T> ? "date" : "datetime";
}

}  // namespace bulk
