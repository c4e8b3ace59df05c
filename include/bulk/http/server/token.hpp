// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace bulk::http {

namespace detail {

[[nodiscard]] constexpr bool is_token_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

inline constexpr auto token_characters = [] {
    std::array<bool, 256> are{};
    for (std::size_t i = 0; i < are.size(); ++i) are[i] = is_token_character(static_cast<char>(i));
    return are;
}();

}  // namespace detail

/// What methods, headers and their parameters are called (RFC 9110 5.6.2).
[[nodiscard]] constexpr bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return detail::token_characters[static_cast<unsigned char>(c)];
    });
}

/// What may be said behind such a name: no control but a tab.
[[nodiscard]] constexpr bool is_field_value(std::string_view text) {
    return std::ranges::none_of(text, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
    });
}

}  // namespace bulk::http
