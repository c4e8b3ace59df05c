// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace bulk::http {

/// Whether a line can be the first of a request, as its end tells: `GET / HTTP/1.1`.
[[nodiscard]] constexpr bool ends_with_version(std::string_view line) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (line.size() < 9) return false;
    const auto end = line.substr(line.size() - 9);
    return end.starts_with(" HTTP/") && is_digit(end[6]) && end[7] == '.' && is_digit(end[8]);
}

}  // namespace bulk::http
