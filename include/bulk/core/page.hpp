// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

/// Where the next page begins: after the last item's sort key and its unique id. Unlike a page
/// number it stays right while records come and go, and costs the same on the last page as on the
/// first.
struct cursor {
    std::string key{};
    std::string id{};

    bool operator==(const cursor&) const = default;
};

/// Letters, digits and '.': safe in an address and on a command line. Callers treat it as opaque.
[[nodiscard]] inline std::string to_text(const cursor& at) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    const auto append = [&](std::string_view part) {
        for (const char c : part) {
            const auto byte = static_cast<unsigned char>(c);
            text += digits[byte >> 4];
            text += digits[byte & 0xf];
        }
    };
    append(at.key);
    text += '.';
    append(at.id);
    return text;
}

/// The error for a text that is no cursor.
[[nodiscard]] inline std::unexpected<error> unknown_cursor(std::string_view text) {
    return fail(errc::invalid_argument,
                concat("cursor '", text.substr(0, 64),
                       "' is not one of ours: pass on what `next` of the page before said"));
}

[[nodiscard]] inline result<cursor> parse_cursor(std::string_view text) {
    const auto value = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    const auto dot = text.find('.');
    if (dot == std::string_view::npos || dot % 2 != 0 || (text.size() - dot - 1) % 2 != 0)
        return unknown_cursor(text);
    cursor at;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        if (i == dot) ++i;
        if (i == text.size()) break;
        const int high = value(text[i]), low = value(text[i + 1]);
        if (high < 0 || low < 0) return unknown_cursor(text);
        (i < dot ? at.key : at.id) += static_cast<char>(high << 4 | low);
    }
    return at;
}

inline constexpr std::uint32_t largest_page = 1000;

/// One page of an answer, and how to ask for the next one.
template <typename T>
struct page {
    std::vector<T> items{};
    std::uint64_t total = 0;  ///< over all pages; 0 when nobody asked for it
    std::string next{};       ///< the cursor to go on with; empty on the last page
};

[[nodiscard]] inline result<> check_page_size(std::uint32_t size) {
    if (size >= 1 && size <= largest_page) return {};
    return fail(errc::invalid_argument,
                concat("page size is ", size, "; it must be between 1 and ", largest_page));
}

}  // namespace bulk
