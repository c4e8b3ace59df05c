// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::http {

/// `Content-Disposition` for a file of that name (RFC 6266): whatever the name holds, no header begins
/// in it, and no folder is named by it.
[[nodiscard]] inline std::string attachment(std::string_view name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._ ";
    name = name.substr(name.find_last_of("/\\") + 1);
    std::string fallback, encoded;
    bool is_plain = true;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.contains(c)) {
            fallback += c;
        } else {
            fallback += '_';
            is_plain = false;
        }
        if (plain.contains(c) && c != ' ')
            encoded += c;
        else
            ((encoded += '%') += digits[byte >> 4]) += digits[byte & 0xf];
    }
    if (fallback.empty()) return "attachment";
    std::string value = concat("attachment; filename=\"", fallback, '"');
    if (!is_plain) value += concat("; filename*=UTF-8''", encoded);
    return value;
}

}  // namespace bulk::http
