// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bulk {

/// Where the first byte is that is not part of valid UTF-8 (no overlong forms, no surrogates,
/// nothing above U+10FFFF); the size when there is none.
[[nodiscard]] inline std::size_t find_invalid_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t i = 0;
    while (i < text.size()) {
        if (text.size() - i >= 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + i, 8);
            if ((word & 0x8080'8080'8080'8080) == 0) {
                i += 8;
                continue;
            }
        }
        const unsigned char first = byte(i);
        if (first < 0x80) {
            ++i;
            continue;
        }
        std::size_t length = 0;
        unsigned char low = 0x80, high = 0xbf;  // of the second byte
        if (first >= 0xc2 && first <= 0xdf) {
            length = 2;
        } else if (first >= 0xe0 && first <= 0xef) {
            length = 3;
            if (first == 0xe0) low = 0xa0;
            if (first == 0xed) high = 0x9f;
        } else if (first >= 0xf0 && first <= 0xf4) {
            length = 4;
            if (first == 0xf0) low = 0x90;
            if (first == 0xf4) high = 0x8f;
        } else {
            return i;
        }
        if (text.size() - i < length || byte(i + 1) < low || byte(i + 1) > high) return i;
        for (std::size_t k = 2; k < length; ++k)
            if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return i;
        i += length;
    }
    return i;
}

[[nodiscard]] inline bool is_valid_utf8(std::string_view text) {
    return find_invalid_utf8(text) == text.size();
}

}  // namespace bulk
