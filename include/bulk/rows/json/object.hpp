// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::json {

/// A value: what a string says, or anything else as it stands in the text.
struct member_value {
    std::string text{};
    bool is_string = false;
    std::string json{};  ///< as it stands in the text, quotes and escapes included
};

/// The members of one object, by name. Fails with what is wrong and where.
[[nodiscard]] inline result<std::vector<std::pair<std::string, member_value>>> read_members(
    std::string_view text) {
    const std::string padded = std::string{text} + std::string(64, '\0');
    const char* at = padded.data();
    const char* const end = at + text.size();
    const auto refuse = [&](std::string_view why) {
        return fail(errc::invalid_argument, concat(why, ", at byte ", at - padded.data() + 1));
    };
    std::vector<std::pair<std::string, member_value>> members;
    skip_spaces(at, end);
    const char* whole = at;
    if (at == end || *at != '{') return refuse("it does not begin with '{'");
    if (const auto wrong = skip_value(at, end, 32); wrong != syntax::fine)
        return refuse(describe(wrong));
    skip_spaces(at, end);
    if (at != end) return refuse(describe(syntax::text_behind));
    // It is JSON, so every step from here on finds what it expects.
    const auto content = [](const string_token& token) {
        std::string said(token.raw.size(), '\0');
        said.resize(static_cast<std::size_t>(unescape(token.raw, said.data()) - said.data()));
        return said;
    };
    at = whole + 1;
    while (true) {
        while (*at != '"' && *at != '}') ++at;
        if (*at == '}') return members;
        string_token token;
        if (read_string(at, end, token) != syntax::fine) return refuse("a key cannot be read");
        auto& [name, value] = members.emplace_back();
        name = content(token);
        while (*at != ':') ++at;
        ++at;
        skip_spaces(at, end);
        const char* const begin = at;
        value.is_string = *at == '"';
        if (skip_value(at, end, 32) != syntax::fine) return refuse("a value cannot be read");
        value.text = value.json = std::string{begin, at};
        if (value.is_string) {
            const char* inner = begin;
            if (read_string(inner, end, token) == syntax::fine) value.text = content(token);
        }
    }
}

}  // namespace bulk::json
