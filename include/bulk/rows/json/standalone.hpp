// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/json/values.hpp>
#include <bulk/rows/text_window.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::json {

// JSON texts that stand alone, anywhere in memory.

/// How deep Glaze follows values within each other.
inline constexpr std::size_t glaze_depth = 255;

/// Without the blanks around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// Whether a text is one JSON value, without blanks around it, or what is wrong with it.
[[nodiscard]] inline syntax check_standalone(std::string_view text, std::size_t depth) {
    std::string padded;
    padded.reserve(text.size() + padding);
    padded.append(text).append(padding, '\0');
    const char* at = padded.data();
    const char* const end = at + text.size();
    if (const auto wrong = skip_value(at, end, depth); wrong != syntax::fine) return wrong;
    return at == end ? syntax::fine : syntax::text_behind;
}

/// Whether a text has the form of one JSON value, of any depth, whatever the bytes above ASCII are.
[[nodiscard]] inline bool is_standalone(std::string_view text) {
    std::string ascii{text};
    for (char& c : ascii)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return check_standalone(ascii, std::numeric_limits<std::size_t>::max()) == syntax::fine;
}

/// A JSON text without blanks between its tokens if there are newlines among these, else as it is: a
/// newline would end a line of NDJSON.
[[nodiscard]] inline std::string on_one_line(std::string_view text) {
    if (text.find_first_of("\r\n") == std::string_view::npos) return std::string{text};
    std::string line;
    bool in_string = false, is_escaped = false;
    for (const char c : text) {
        if (!in_string && is_space(c)) continue;
        line += c;
        if (std::exchange(is_escaped, false)) continue;
        is_escaped = in_string && c == '\\';
        if (c == '"') in_string = !in_string;
    }
    return line;
}

}  // namespace bulk::json
