// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bulk {

/// Where the first byte is that is not part of valid UTF-8 (no overlong forms, no surrogates,
/// nothing above U+10FFFF); the size when there is none.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

[[nodiscard]] bool is_valid_utf8(std::string_view text);

/// The text with U+FFFD for each byte that is not part of valid UTF-8.
[[nodiscard]] std::string mended_utf8(std::string_view text);

/// Writes a code point as UTF-8; the end of that.
inline char* put_utf8(char* out, char32_t point) {
    const auto byte = [&](char32_t value) { *out++ = static_cast<char>(value); };
    if (point < 0x80) {
        byte(point);
        return out;
    }
    const int more = point < 0x800 ? 1 : point < 0x1'0000 ? 2 : 3;
    byte((0xf0 << (3 - more) & 0xff) | point >> 6 * more);
    for (int left = more - 1; left >= 0; --left) byte(0x80 | (point >> 6 * left & 0x3f));
    return out;
}

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/rows/utf8_blocks.hpp>
#endif
