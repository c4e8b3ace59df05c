// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/reflect.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::cli {

// Numbers, spans and moments as people read them; moments are in UTC.

/// 1,234,567
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

/// 5 as "05"; of any number the last so many digits.
[[nodiscard]] inline std::string digits(std::uint64_t number, std::size_t count) {
    std::string text(count, '0');
    for (auto at = text.rbegin(); at != text.rend(); ++at, number /= 10)
        *at = static_cast<char>('0' + number % 10);
    return text;
}

/// consolidation_skipped as "consolidation skipped"
template <described_enum E>
[[nodiscard]] std::string spaced_name(E value) {
    std::string text{name_of(value)};
    std::ranges::replace(text, '_', ' ');
    return text;
}

/// 850 ms, 12.4 s, 3:07 or 1:03:07
[[nodiscard]] inline std::string span_text(std::chrono::microseconds span) {
    // A clock that was set back must not make a span negative.
    const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(
        0, std::chrono::duration_cast<std::chrono::milliseconds>(span).count()));
    if (ms < 1'000) return concat(ms, " ms");
    if (ms < 60'000) return concat(ms / 1'000, '.', ms / 100 % 10, " s");
    const auto seconds = ms / 1'000;
    if (seconds < 3'600) return concat(seconds / 60, ':', digits(seconds % 60, 2));
    return concat(seconds / 3'600, ':', digits(seconds / 60 % 60, 2), ':', digits(seconds % 60, 2));
}

/// The same for what is left: 0:03
[[nodiscard]] inline std::string countdown_text(std::chrono::seconds span) {
    const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, span.count()));
    if (seconds >= 3'600) return span_text(span);
    return concat(seconds / 60, ':', digits(seconds % 60, 2));
}

/// 512 B, 12.4 MB
[[nodiscard]] inline std::string size_text(std::uint64_t bytes) {
    constexpr std::string_view units = "kMGTPE";
    if (bytes < 1'000) return concat(bytes, " B");
    std::uint64_t unit = 1'000;
    std::size_t at = 0;
    for (; at + 1 < units.size() && bytes / unit >= 1'000; ++at) unit *= 1'000;
    return concat(bytes / unit, '.', bytes % unit * 10 / unit, ' ', units[at], 'B');
}

namespace detail {

struct calendar {
    std::string date{};  ///< 2026-06-01
    std::string time{};  ///< 12:30:05
    std::uint64_t microseconds = 0;
};

[[nodiscard]] inline calendar calendar_of(timestamp moment) {
    const auto day = std::chrono::floor<std::chrono::days>(moment);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{moment - day};
    const auto two = [](auto number) { return digits(static_cast<std::uint64_t>(number), 2); };
    return {.date = concat(digits(static_cast<std::uint64_t>(static_cast<int>(date.year())), 4),
                           '-', two(static_cast<unsigned>(date.month())), '-',
                           two(static_cast<unsigned>(date.day()))),
            .time = concat(two(time.hours().count()), ':', two(time.minutes().count()), ':',
                           two(time.seconds().count())),
            .microseconds = static_cast<std::uint64_t>(time.subseconds().count())};
}

}  // namespace detail

/// 2026-06-01 12:30:05
[[nodiscard]] inline std::string moment_text(timestamp moment) {
    const auto parts = detail::calendar_of(moment);
    return concat(parts.date, ' ', parts.time);
}
[[nodiscard]] inline std::string moment_text(const std::optional<timestamp>& moment) {
    return moment ? moment_text(*moment) : "-";
}

/// For machines: 2026-06-01T12:30:05.000123Z
[[nodiscard]] inline std::string iso_text(timestamp moment) {
    const auto parts = detail::calendar_of(moment);
    return concat(parts.date, 'T', parts.time, '.', digits(parts.microseconds, 6), 'Z');
}

/// "1 row", "2 rows"
[[nodiscard]] inline std::string count_text(std::uint64_t count, std::string_view thing) {
    return concat(grouped(count), ' ', thing, count == 1 ? "" : "s");
}

}  // namespace bulk::cli
