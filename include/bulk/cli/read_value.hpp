// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/rows/cell.hpp>
#include <bulk/rows/time_text.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::cli {

// What is written behind a flag, as a value. Each says what it takes instead.

template <std::integral Number>
[[nodiscard]] result<Number> read_number(std::string_view text) {
    Number number{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status == std::errc{} && end == text.data() + text.size()) return number;
    return fail(errc::invalid_argument, concat('\'', text, "' is not a whole number"));
}

namespace detail {

struct unit {
    std::string_view name{};
    std::int64_t factor = 0;
};

/// "1.5" is not taken: whole numbers of a smaller unit say the same, exactly.
[[nodiscard]] inline std::optional<std::int64_t> read_with_unit(std::string_view text,
                                                                std::span<const unit> units) {
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc{}) return std::nullopt;
    const std::string_view name{end, text.data() + text.size()};
    for (const auto& each : units)
        if (same_name(name, each.name) && number >= 0 &&
            number <= std::numeric_limits<std::int64_t>::max() / each.factor)
            return number * each.factor;
    return std::nullopt;
}

}  // namespace detail

/// 500ms, 30s, 5m, 24h, 7d
[[nodiscard]] inline result<std::chrono::milliseconds> read_span(std::string_view text) {
    constexpr std::array<detail::unit, 5> units{
        {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
    if (text == "0") return std::chrono::milliseconds{0};
    const auto ms = detail::read_with_unit(text, units);
    if (ms && *ms / 86'400'000 <= 36'500) return std::chrono::milliseconds{*ms};
    return fail(errc::invalid_argument,
                concat('\'', text, "' is not a time; write 500ms, 30s, 5m, 24h or 7d"));
}

/// 4096, 64kB, 100MB, 2GB
[[nodiscard]] inline result<std::int64_t> read_size(std::string_view text) {
    constexpr std::array<detail::unit, 6> units{{{"", 1},
                                                 {"b", 1},
                                                 {"kb", 1'000},
                                                 {"mb", 1'000'000},
                                                 {"gb", 1'000'000'000},
                                                 {"tb", 1'000'000'000'000}}};
    if (const auto bytes = detail::read_with_unit(text, units)) return *bytes;
    return fail(errc::invalid_argument,
                concat('\'', text, "' is not a size; write 4096, 64kB, 100MB or 2GB"));
}

/// 2026-06-01, or 2026-06-01T12:30:00Z
[[nodiscard]] inline result<timestamp> read_moment(std::string_view text) {
    if (const auto moment = text_to<timestamp>(text, {})) return *moment;
    if (const auto day = text_to<std::chrono::year_month_day>(text, {}))
        return timestamp{std::chrono::sys_days{*day}};
    return fail(errc::invalid_argument,
                concat('\'', text, "' is not a moment; write 2026-06-01 or 2026-06-01T12:30:00Z"));
}

/// The spelling of an enumerator, with '-' or '_'.
template <described_enum E>
[[nodiscard]] result<E> read_choice(std::string_view text) {
    std::string wanted{text};
    for (char& c : wanted) c = c == '-' ? '_' : lower_case(c);
    if (const auto value = from_name<E>(wanted)) return *value;
    std::string all;
    for (const auto& each : enumerators_of<E>) {
        if (!all.empty()) all += &each == &enumerators_of<E>.back() ? " or " : ", ";
        all += each.name;
    }
    return fail(errc::invalid_argument, concat('\'', text, "' is none of ", all));
}

}  // namespace bulk::cli
