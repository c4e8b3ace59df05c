// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace bulk::json {

/// A string as it stands in the file, without its quotes.
struct string_token {
    std::string_view raw{};
    bool is_escaped = false;  ///< holds escapes; see unescape()
    bool is_ascii = true;
};

namespace detail {

/// What one look at a text found: a bit for a byte, from the lowest on.
struct special_bytes {
    std::uint64_t stops = 0;  ///< quotes, backslashes and control characters
    std::uint64_t high = 0;   ///< bytes above ASCII
};

#if defined(__x86_64__)

/// Most strings are shorter, so that the branch behind one look is nearly always right.
inline constexpr std::size_t look_size = 32;

inline special_bytes look_at(const char* text) {
    special_bytes found;
    for (int part = 1; part >= 0; --part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
        const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        const __m128i stops = _mm_or_si128(_mm_or_si128(is('"'), is('\\')), control);
        found.stops = found.stops << 16 | static_cast<unsigned>(_mm_movemask_epi8(stops));
        found.high = found.high << 16 | static_cast<unsigned>(_mm_movemask_epi8(bytes));
    }
    return found;
}

/// How many of 16 bytes stand before one that ends a number or a name.
inline std::size_t word_size(const char* text) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i blank = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x20)), bytes);
    const __m128i ends = _mm_or_si128(_mm_or_si128(is(','), is('}')), _mm_or_si128(is(']'), blank));
    return static_cast<std::size_t>(
        std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(ends)) | 0x1'0000U));
}

#else

inline constexpr std::size_t look_size = 32;

inline special_bytes look_at(const char* text) {
    special_bytes found;
    for (std::size_t i = 0; i < look_size; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        found.stops |= std::uint64_t{byte == '"' || byte == '\\' || byte < 0x20} << i;
        found.high |= std::uint64_t{byte >= 0x80} << i;
    }
    return found;
}

inline std::size_t word_size(const char* text) {
    std::size_t size = 0;
    while (size < 16 && text[size] != ',' && text[size] != '}' && text[size] != ']' &&
           static_cast<unsigned char>(text[size]) > ' ')
        ++size;
    return size;
}

#endif

}  // namespace detail

/// What stands there up to the next character that ends a number or a name.
[[nodiscard, gnu::always_inline]] inline std::string_view word_at(const char* at, const char* end) {
    std::size_t size = detail::word_size(at);
    if (size == 16) [[unlikely]]
        for (std::size_t more = 16; more == 16 && at + size < end; size += more)
            more = detail::word_size(at + size);
    return {at, std::min(size, static_cast<std::size_t>(end - at))};
}

/// Reads a string from behind its opening quote to behind its closing one. False where it does not
/// end, or holds a control character: `at` is there then. Looks at up to `padding` bytes behind
/// `end`.
[[nodiscard, gnu::always_inline]] inline bool scan_string(const char*& at, const char* end,
                                                          string_token& token) {
    const char* const begin = at;
    std::uint64_t high = 0;
    bool is_escaped = false;
    while (at < end) {
        const auto found = detail::look_at(at);
        if (found.stops == 0) {
            high |= found.high;
            at += detail::look_size;
            continue;
        }
        const int stop = std::countr_zero(found.stops);
        high |= found.high & ((std::uint64_t{1} << stop) - 1);
        at += stop;
        if (at >= end) break;
        if (*at == '"') [[likely]] {
            token = {{begin, at}, is_escaped, high == 0};
            ++at;
            return true;
        }
        if (*at != '\\') return false;
        is_escaped = true;
        at += 2;  // what follows it may be a quote
    }
    at = end;
    return false;
}

namespace detail {

/// Four hexadecimal digits, or nothing below zero.
inline std::int32_t code_unit(std::string_view text) {
    if (text.size() < 4) return -1;
    std::int32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const char c = text[i];
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            value = value * 16 + ((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    return value;
}

inline char simple_escape(char c) {
    switch (c) {
        case '"':
        case '\\':
        case '/':
            return c;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return '\0';
    }
}

}  // namespace detail

/// What a string with escapes says, written to `out`, which holds as much as it does; the end of
/// that. Null where an escape is none that JSON knows, or half of a surrogate pair: a text of valid
/// UTF-8 cannot hold that.
[[nodiscard]] inline char* unescape(std::string_view raw, char* out) {
    while (true) {
        const auto escape = raw.find('\\');
        if (escape == std::string_view::npos) {
            if (!raw.empty()) std::memmove(out, raw.data(), raw.size());
            return out + raw.size();
        }
        if (escape > 0) std::memmove(out, raw.data(), escape);
        out += escape;
        raw.remove_prefix(escape + 1);
        if (raw.empty()) return nullptr;
        const char kind = raw.front();
        raw.remove_prefix(1);
        if (kind != 'u') {
            *out = detail::simple_escape(kind);
            if (*out == '\0') return nullptr;
            ++out;
            continue;
        }
        const std::int32_t first = detail::code_unit(raw);
        if (first < 0 || (first >= 0xdc00 && first <= 0xdfff)) return nullptr;
        raw.remove_prefix(4);
        auto code = static_cast<char32_t>(first);
        if (first >= 0xd800 && first <= 0xdbff) {
            if (!raw.starts_with("\\u")) return nullptr;
            const std::int32_t second = detail::code_unit(raw.substr(2));
            if (second < 0xdc00 || second > 0xdfff) return nullptr;
            raw.remove_prefix(6);
            code = static_cast<char32_t>(0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00));
        }
        out = put_utf8(out, code);
    }
}

}  // namespace bulk::json
