// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::csv {

/// Whether a spreadsheet would compute the field instead of showing it.
[[nodiscard]] constexpr bool looks_like_formula(std::string_view field) {
    if (field.empty()) return false;
    if (std::string_view{"=+-@\t\r\n"}.contains(field.front())) return true;
    // As they are typed on a keyboard for Chinese, Japanese or Korean: ＝ ＋ － ＠
    constexpr std::array<std::string_view, 4> wide{"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                                   "\xef\xbc\xa0"};
    return std::ranges::any_of(wide,
                               [&](std::string_view each) { return field.starts_with(each); });
}

/// A column of this name says that the fields of the file are guarded: whoever reads the file takes the
/// guards off. It stays when the file is edited and saved by a spreadsheet.
inline constexpr std::string_view guard_column = "bulk_guarded";

namespace detail {

/// A number with or without a sign: spreadsheets show it as what it is.
[[nodiscard]] constexpr bool is_plain_number(std::string_view field) {
    if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::size_t point = std::min(field.find_first_of(".,"), field.size());
    const std::string_view whole = field.substr(0, point);
    const std::string_view part = point == field.size() ? "0" : field.substr(point + 1);
    return !whole.empty() && !part.empty() && std::ranges::all_of(whole, is_digit) &&
           std::ranges::all_of(part, is_digit);
}

/// Also if it is one already: else a guard that is part of the text would be lost.
[[nodiscard]] constexpr bool is_formula_behind_guards(std::string_view field) {
    return looks_like_formula(field.substr(std::min(field.find_first_not_of('\''), field.size())));
}

}  // namespace detail

/// The field with an apostrophe in front where a spreadsheet would compute it.
[[nodiscard]] inline std::string guarded(std::string_view field) {
    const bool is_safe = !detail::is_formula_behind_guards(field) || detail::is_plain_number(field);
    return std::string{is_safe ? "" : "'"}.append(field);
}

/// What `guarded` was given.
[[nodiscard]] constexpr std::string_view unguarded(std::string_view field) {
    const bool has_guard =
        field.starts_with('\'') && detail::is_formula_behind_guards(field.substr(1));
    return field.substr(has_guard ? 1 : 0);
}

}  // namespace bulk::csv
