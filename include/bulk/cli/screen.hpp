// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace bulk::cli {

/// A stream, and what can be shown on it.
struct screen {
    std::ostream& stream;
    bool is_terminal = false;
    bool has_color = false;    ///< else no escape sequence is ever written
    bool has_unicode = false;  ///< else ASCII, but for texts of the user
    std::size_t width = 80;    ///< of a terminal
};

enum class tint : std::uint8_t { plain, strong, faint, good, warning, bad };

[[nodiscard]] inline std::string tinted(const screen& on, tint color, std::string_view text) {
    constexpr std::string_view codes[] = {"0", "1", "2", "32", "33", "31"};
    if (!on.has_color || color == tint::plain || text.empty()) return std::string{text};
    return concat("\x1b[", codes[static_cast<std::size_t>(color)], 'm', text, "\x1b[0m");
}

/// How many characters a text has: bytes of UTF-8 that do not continue one.
[[nodiscard]] constexpr std::size_t display_width(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1U : 0U;
    return count;
}

/// A text that stays on its line and cannot speak to the terminal: control characters, which files
/// and error messages may have, become spaces.
[[nodiscard]] inline std::string one_line(std::string_view text) {
    std::string line{text};
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return line;
}

/// At most so many characters; what is cut ends with dots.
[[nodiscard]] inline std::string cut_to(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string{text};
    constexpr std::string_view dots = "...";
    if (width <= dots.size()) return std::string{dots.substr(0, width)};
    std::size_t end = 0, seen = 0;
    for (; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
        if (begins && seen++ == width - dots.size()) break;
    }
    return concat(text.substr(0, end), dots);
}

[[nodiscard]] inline std::string spaces_after(std::string_view text, std::size_t width) {
    const auto have = display_width(text);
    return std::string(have < width ? width - have : 0, ' ');
}

}  // namespace bulk::cli
