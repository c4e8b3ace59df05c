// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace bulk::json {

/// A type that takes a JSON value as it stands: see json/value.hpp.
template <typename T>
concept holds_json = requires { typename T::is_json; };

/// Why a text is not JSON, or not JSON that we take.
enum class syntax : std::uint8_t {
    fine,
    expected_value,
    expected_key,
    expected_colon,
    expected_comma_or_brace,
    expected_comma_or_bracket,
    bad_number,
    bad_escape,
    unclosed_string,
    control_character,
    not_utf8,
    too_deep,
    text_behind,
};

[[nodiscard]] constexpr bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Looks at a byte behind `end`.
[[gnu::always_inline]] inline void skip_spaces(const char*& at, const char* end) {
    while (static_cast<unsigned char>(*at) <= ' ' && at < end && is_space(*at)) ++at;
}

/// Whether a text is a number as RFC 8259 has it: no plus, no leading zeros, digits on both sides
/// of the point.
[[nodiscard]] constexpr bool is_number(std::string_view text) {
    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t begin = i;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        return i > begin;
    };
    if (text.starts_with('-')) ++i;
    if (i < text.size() && text[i] == '0')
        ++i;
    else if (!digits())
        return false;
    if (i < text.size() && text[i] == '.') {
        ++i;
        if (!digits()) return false;
    }
    if (i < text.size() && (text[i] | 0x20) == 'e') {
        ++i;
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        if (!digits()) return false;
    }
    return i == text.size();
}

/// What was read of a string is a string: its escapes are known and its bytes are UTF-8.
[[nodiscard]] inline syntax check_string(const string_token& token) {
    if (!token.is_ascii && !is_valid_utf8(token.raw)) return syntax::not_utf8;
    if (!token.is_escaped) return syntax::fine;
    std::string_view rest = token.raw;
    while (true) {
        const auto escape = rest.find('\\');
        if (escape == std::string_view::npos) return syntax::fine;
        rest.remove_prefix(escape);
        // A pair of surrogates is two escapes, and the longest: twelve bytes.
        const std::size_t size = rest.starts_with("\\u") ? 6 : 2;
        char out[16];
        if (unescape(rest.substr(0, size), out) != nullptr) {
            rest.remove_prefix(size);
        } else if (size == 6 && rest.size() >= 12 && unescape(rest.substr(0, 12), out) != nullptr) {
            rest.remove_prefix(12);
        } else {
            return syntax::bad_escape;
        }
    }
}

/// Reads a string from its opening quote on.
[[nodiscard]] inline syntax read_string(const char*& at, const char* end, string_token& token) {
    ++at;
    if (scan_string(at, end, token)) return syntax::fine;
    return at < end ? syntax::control_character : syntax::unclosed_string;
}

/// Number, true, false or null.
[[nodiscard]] inline syntax check_word(std::string_view word) {
    if (word == "true" || word == "false" || word == "null" || is_number(word)) return syntax::fine;
    const bool begins_like_a_number =
        !word.empty() && (word.front() == '-' || (word.front() >= '0' && word.front() <= '9'));
    return begins_like_a_number ? syntax::bad_number : syntax::expected_value;
}

/// Passes over a value of any kind, and makes sure that it is one. `depth` is how many objects and
/// arrays it may hold within each other. Where it is none, `at` is there. Iterates: what somebody
/// else wrote must not be able to exhaust the stack.
[[nodiscard]] inline syntax skip_value(const char*& at, const char* end, std::size_t depth) {
    std::vector<bool> objects;  // of those that are open: is it an object?
    const auto skip_key = [&] {
        if (at == end || *at != '"') return syntax::expected_key;
        string_token key;
        if (const auto wrong = read_string(at, end, key); wrong != syntax::fine) return wrong;
        if (const auto wrong = check_string(key); wrong != syntax::fine) return wrong;
        skip_spaces(at, end);
        if (at == end || *at != ':') return syntax::expected_colon;
        ++at;
        skip_spaces(at, end);
        return syntax::fine;
    };
    while (true) {
        if (at == end) return syntax::expected_value;
        if (*at == '{' || *at == '[') {
            const bool is_object = *at == '{';
            if (objects.size() == depth) return syntax::too_deep;
            ++at;
            skip_spaces(at, end);
            if (at == end || *at != (is_object ? '}' : ']')) {
                objects.push_back(is_object);
                if (is_object)
                    if (const auto wrong = skip_key(); wrong != syntax::fine) return wrong;
                continue;
            }
            ++at;
        } else if (*at == '"') {
            string_token token;
            const char* const begin = at;
            if (const auto wrong = read_string(at, end, token); wrong != syntax::fine) return wrong;
            if (const auto wrong = check_string(token); wrong != syntax::fine) {
                at = begin;
                return wrong;
            }
        } else {
            const auto word = word_at(at, end);
            if (const auto wrong = check_word(word); wrong != syntax::fine) return wrong;
            at += word.size();
        }
        while (true) {  // behind a value
            if (objects.empty()) return syntax::fine;
            skip_spaces(at, end);
            if (at < end && *at == (objects.back() ? '}' : ']')) {
                objects.pop_back();
                ++at;
                continue;
            }
            if (at == end || *at != ',')
                return objects.back() ? syntax::expected_comma_or_brace
                                      : syntax::expected_comma_or_bracket;
            ++at;
            skip_spaces(at, end);
            if (objects.back())
                if (const auto wrong = skip_key(); wrong != syntax::fine) return wrong;
            break;
        }
    }
}

[[nodiscard]] constexpr std::string_view describe(syntax wrong) {
    switch (wrong) {
        case syntax::fine:
            return "nothing is wrong";
        case syntax::expected_value:
            return "a value is expected";
        case syntax::expected_key:
            return "a key in quotes is expected";
        case syntax::expected_colon:
            return "a ':' is expected behind the key";
        case syntax::expected_comma_or_brace:
            return "a ',' or the closing '}' is expected";
        case syntax::expected_comma_or_bracket:
            return "a ',' or the closing ']' is expected";
        case syntax::bad_number:
            return "this is not a number as JSON writes it";
        case syntax::bad_escape:
            return "the string has an escape that JSON does not know";
        case syntax::unclosed_string:
            return "the string is never closed";
        case syntax::control_character:
            return "the string holds a control character; JSON writes it as an escape";
        case syntax::not_utf8:
            return "the string is not valid UTF-8";
        case syntax::too_deep:
            return "it is nested too deep";
        case syntax::text_behind:
            return "there is text behind the element";
    }
    return {};
}

/// What a value is, which is no object.
[[nodiscard]] inline std::string_view kind_of(std::string_view value) {
    switch (value.front()) {
        case '"':
            return "a string";
        case '[':
            return "an array";
        case 'n':
            return "null";
        case 't':
        case 'f':
            return value;
        default:
            return "a number";
    }
}

}  // namespace bulk::json
