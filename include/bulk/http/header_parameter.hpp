// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/target.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http {

/// The value of a parameter such as `boundary` in `multipart/form-data; boundary="a b"`, quoted or not.
/// The first of that name.
[[nodiscard]] inline std::optional<std::string> header_parameter(std::string_view header,
                                                                 std::string_view name) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    std::size_t at = std::min(header.find(';'), header.size());
    while (at < header.size()) {
        ++at;
        while (at < header.size() && is_space(header[at])) ++at;
        const auto begin = at;
        while (at < header.size() && header[at] != '=' && header[at] != ';') ++at;
        std::string_view known = header.substr(begin, at - begin);
        while (!known.empty() && is_space(known.back())) known.remove_suffix(1);
        std::string value;
        if (at < header.size() && header[at] == '=') {
            ++at;
            while (at < header.size() && is_space(header[at])) ++at;
            if (at < header.size() && header[at] == '"') {
                for (++at; at < header.size() && header[at] != '"'; ++at) {
                    // A backslash is itself in front of anything else: browsers do not escape it.
                    const char next = at + 1 < header.size() ? header[at + 1] : '\0';
                    if (header[at] == '\\' && (next == '"' || next == '\\')) ++at;
                    value += header[at];
                }
                at = std::min(header.find(';', at), header.size());
            } else {
                while (at < header.size() && header[at] != ';') value += header[at++];
                while (!value.empty() && is_space(value.back())) value.pop_back();
            }
        }
        if (same_name(known, name)) return value;
    }
    return std::nullopt;
}

/// The same where `name*` may say it in any alphabet, as `UTF-8''na%C3%AFve` (RFC 8187), and is believed
/// first. Fails on what that one cannot say.
[[nodiscard]] inline result<std::optional<std::string>> any_header_parameter(
    std::string_view header, std::string_view name) {
    const auto extended = header_parameter(header, std::string{name} + '*');
    if (!extended) return header_parameter(header, name);
    const auto first = extended->find('\'');
    const auto second = first == std::string::npos ? first : extended->find('\'', first + 1);
    if (second == std::string::npos ||
        !same_name(std::string_view{*extended}.substr(0, first), "utf-8"))
        return fail(errc::invalid_argument, "a header has a value that is not in UTF-8");
    auto decoded = percent_decoded(std::string_view{*extended}.substr(second + 1), false);
    if (!decoded) return std::unexpected{decoded.error()};
    return std::optional{std::move(*decoded)};
}

}  // namespace bulk::http
