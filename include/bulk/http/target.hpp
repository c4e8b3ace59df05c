// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/utf8.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http {

/// `%41` is A, and in a query `+` is a space. Fails on a `%` without two digits behind it, and on what
/// no name may hold: a NUL, or bytes that are no UTF-8.
[[nodiscard]] result<std::string> percent_decoded(std::string_view text, bool is_query);

namespace detail {

[[nodiscard]] constexpr int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The beginning of what is wrong, fit to be shown.
[[nodiscard]] inline std::string shown(std::string_view text) {
    std::string safe{text.substr(0, 64)};
    for (char& c : safe)
        if (c < 0x20 || c > 0x7E) c = '?';
    return safe;
}

}  // namespace detail

inline result<std::string> percent_decoded(std::string_view text, bool is_query) {
    std::string decoded;
    decoded.reserve(text.size());
    const auto refuse = [&](std::string_view why) {
        return fail(errc::invalid_argument,
                    concat('\'', detail::shown(text), "' in the address ", why));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && is_query) {
            decoded += ' ';
        } else if (text[i] != '%') {
            decoded += text[i];
        } else {
            const int high = i + 1 < text.size() ? detail::hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? detail::hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) return refuse("has a % without two digits behind it");
            decoded += static_cast<char>(high << 4 | low);
            i += 2;
        }
    }
    if (decoded.find('\0') != std::string::npos) return refuse("has a NUL in it");
    if (find_invalid_utf8(decoded) != decoded.size()) return refuse("is no UTF-8");
    return decoded;
}

/// What a request asks for: the segments of its path and the parameters of its query, decoded. A
/// segment may hold a slash then, as names of operations may.
struct target {
    std::vector<std::string> path{};
    std::vector<std::pair<std::string, std::string>> query{};

    /// The first of that name.
    [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const {
        for (const auto& [known, value] : query)
            if (known == name) return value;
        return std::nullopt;
    }
};

/// A slash at the end is none; `*` has no path. Fails on what two readers could take for two things: empty segments, `.`
/// and `..`, controls.
[[nodiscard]] inline result<target> parse_target(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return fail(errc::invalid_argument,
                    concat("the address '", detail::shown(text), "' ", why));
    };
    if (text == "*") return target{};  // OPTIONS of the whole server
    if (text.empty() || text[0] != '/') return refuse("does not begin with a slash");
    for (const char c : text)
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\' || c == '#')
            return refuse("has a character that no address has");
    target parsed;
    const auto mark = text.find('?');
    std::string_view path = text.substr(1, mark == std::string_view::npos ? mark : mark - 1);
    while (!path.empty()) {
        const auto slash = path.find('/');
        auto segment = percent_decoded(path.substr(0, slash), false);
        if (!segment) return std::unexpected{segment.error()};
        if (segment->empty()) return refuse("has an empty part");
        if (*segment == "." || *segment == "..") return refuse("leads elsewhere");
        parsed.path.push_back(std::move(*segment));
        path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    }
    std::string_view rest =
        mark == std::string_view::npos ? std::string_view{} : text.substr(mark + 1);
    while (!rest.empty()) {
        const auto end = rest.find('&');
        const auto pair = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        if (pair.empty()) continue;
        const auto sign = pair.find('=');
        auto name = percent_decoded(pair.substr(0, sign), true);
        auto value = percent_decoded(
            sign == std::string_view::npos ? std::string_view{} : pair.substr(sign + 1), true);
        if (!name) return std::unexpected{name.error()};
        if (!value) return std::unexpected{value.error()};
        parsed.query.emplace_back(std::move(*name), std::move(*value));
    }
    return parsed;
}

}  // namespace bulk::http
