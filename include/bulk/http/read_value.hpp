// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/rows/time_text.hpp>

#include <charconv>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace bulk::http {

// Texts of requests as values. Each problem names the field and says what it takes instead.

template <std::integral Number>
[[nodiscard]] or_problem<Number> read_number(std::string_view text, std::string_view field) {
    Number number{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    constexpr std::size_t most_digits = 19;  // so many fit whatever they are
    if (status == std::errc{} && end == text.data() + text.size() && !text.empty() &&
        text.size() <= most_digits + std::is_signed_v<Number>)
        return number;
    return refuse(problems::invalid_argument,
                  concat(field, " takes a whole number, and not '", text.substr(0, 64), '\''),
                  std::string{field});
}

[[nodiscard]] inline or_problem<bool> read_truth(std::string_view text, std::string_view field) {
    if (text == "true") return true;
    if (text == "false") return false;
    return refuse(problems::invalid_argument,
                  concat(field, " takes true or false, and not '", text.substr(0, 64), '\''),
                  std::string{field});
}

/// ISO 8601: a moment, or the beginning of a day, with all its digits.
[[nodiscard]] inline or_problem<timestamp> read_moment(std::string_view text,
                                                       std::string_view field) {
    if (const auto moment = from_text(std::type_identity<timestamp>{}, text)) return *moment;
    if (const auto day = from_text(std::type_identity<std::chrono::year_month_day>{}, text);
        day && text.size() == std::string_view{"2026-06-01"}.size())
        return timestamp{std::chrono::sys_days{*day}};
    return refuse(problems::invalid_argument,
                  concat(field, " takes a moment such as 2026-06-01T12:30:00Z, and not '",
                         text.substr(0, 64), '\''),
                  std::string{field});
}

template <described_enum E>
[[nodiscard]] or_problem<E> read_choice(std::string_view text, std::string_view field) {
    if (const auto value = from_name<E>(text)) return *value;
    std::string all;
    for (const auto& each : enumerators_of<E>) all += concat(all.empty() ? "" : ", ", each.name);
    return refuse(problems::invalid_argument,
                  concat(field, " takes one of ", all, ", and not '", text.substr(0, 64), '\''),
                  std::string{field});
}

}  // namespace bulk::http
