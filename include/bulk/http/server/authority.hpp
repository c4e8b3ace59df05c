// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace bulk::http {

namespace detail {

[[nodiscard]] constexpr bool is_host_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_host_hex(char c) {
    return is_host_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// What may stand for a host by name; `%` only with two digits behind it.
[[nodiscard]] constexpr bool is_host_name(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !is_host_hex(text[i + 1]) || !is_host_hex(text[i + 2]))
                return false;
        } else if (!is_host_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
                   std::string_view{"-._~!$&'()*+,;="}.find(c) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

}  // namespace detail

/// What `Host` and an absolute address may say (RFC 3986 3.2): `host`, `host:80`, `[::1]:80`; may be
/// empty. Nobody is named in front of it, and a port is a number.
[[nodiscard]] constexpr bool is_authority(std::string_view text) {
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return false;
        const auto inside = text.substr(1, end - 1);
        if (inside.find(':') == std::string_view::npos || !std::ranges::all_of(inside, [](char c) {
                return detail::is_host_hex(c) || c == ':' || c == '.';
            }))
            return false;
        port = text.substr(end + 1);
    } else {
        const auto colon = std::min(text.find(':'), text.size());
        if (!detail::is_host_name(text.substr(0, colon))) return false;
        port = text.substr(colon);
    }
    if (port.empty()) return true;
    if (!port.starts_with(':')) return false;
    port.remove_prefix(1);
    return port.size() <= 5 && std::ranges::all_of(port, detail::is_host_digit) &&
           (port.size() < 5 || port <= "65535");
}

}  // namespace bulk::http
