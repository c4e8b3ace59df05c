// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/bits.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace bulk::json {

/// Between two bytes of an element of an array.
struct nesting {
    std::size_t depth = 0;
    std::uint64_t newlines = 0;  ///< so far
    bool in_string = false;
    bool is_escaped = false;   ///< the next byte of the string is
    bool is_broken = false;    ///< a string did not end in its line: brackets say nothing any more
    bool line_begins = false;  ///< in a broken element: nothing but blanks since the newline
};

namespace detail {

/// Byte by byte: what the rules are.
inline const char* find_element_end_by_byte(nesting& state, const char* at, const char* end) {
    for (; at < end; ++at) {
        state.newlines += *at == '\n';
        if (state.is_broken) {
            if (state.line_begins && (*at == '{' || *at == ',' || *at == ']')) return at;
            state.line_begins = *at == '\n' || (state.line_begins && is_space(*at));
            continue;
        }
        if (state.in_string) {
            if (*at == '\n')
                state.is_broken = state.line_begins = true;
            else if (!std::exchange(state.is_escaped, false)) {
                state.is_escaped = *at == '\\';
                state.in_string = *at != '"';
            }
            continue;
        }
        switch (*at) {
            case '"':
                state.in_string = true;
                break;
            case '{':
            case '[':
                ++state.depth;
                break;
            case ']':
                if (state.depth == 0) return at;
                [[fallthrough]];
            case '}':
                if (state.depth > 0) --state.depth;
                break;
            case ',':
                if (state.depth == 0) return at;
                break;
            default:
                break;
        }
    }
    return end;
}

/// 64 bytes, a bit for each.
struct element_bits {
    std::uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0, commas = 0, newlines = 0;
};

inline element_bits read_element_bits(const char* text) {
    element_bits bits;
#if defined(__x86_64__)
    for (int part = 3; part >= 0; --part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
        const __m128i folded =
            _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // [ and { are one, ] and }
        const auto put = [](std::uint64_t& into, __m128i where, char c) {
            const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(where, _mm_set1_epi8(c)));
            into = into << 16 | static_cast<unsigned>(found);
        };
        put(bits.quotes, bytes, '"');
        put(bits.backslashes, bytes, '\\');
        put(bits.opening, folded, '{');
        put(bits.closing, folded, '}');
        put(bits.commas, bytes, ',');
        put(bits.newlines, bytes, '\n');
    }
#else
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        const auto put = [&](std::uint64_t& into, bool is) { into |= is ? bit : 0; };
        put(bits.quotes, text[i] == '"');
        put(bits.backslashes, text[i] == '\\');
        put(bits.opening, text[i] == '{' || text[i] == '[');
        put(bits.closing, text[i] == '}' || text[i] == ']');
        put(bits.commas, text[i] == ',');
        put(bits.newlines, text[i] == '\n');
    }
#endif
    return bits;
}

}  // namespace detail

/// Where the element ends: at the comma behind it or the bracket that closes the array; `end` when
/// that is not at hand. The element may be no JSON at all. Where a string does not end in its line,
/// the element ends before the next line that begins like an element, so that a quote that was
/// forgotten harms no later line.
[[nodiscard]] inline const char* find_element_end(nesting& state, const char* at, const char* end) {
    while (end - at >= 64) {
        const auto bits = detail::read_element_bits(at);
        const std::uint64_t inside =
            prefix_xor(bits.quotes) ^ (state.in_string ? ~std::uint64_t{0} : 0);
        if (state.is_broken || state.is_escaped || bits.backslashes != 0 ||
            (bits.newlines & inside) != 0) {
            const char* const found = detail::find_element_end_by_byte(state, at, at + 64);
            if (found != at + 64) return found;
            at += 64;
            continue;
        }
        // At depth 0 a comma ends the element, deeper it says nothing.
        std::uint64_t left = (bits.opening | bits.closing) & ~inside;
        std::uint64_t passed = 0;
        while (true) {
            const std::uint64_t commas =
                state.depth == 0 ? bits.commas & ~inside & ~passed : std::uint64_t{0};
            if ((left | commas) == 0) break;
            const int next = std::countr_zero(left | commas);
            const std::uint64_t bit = std::uint64_t{1} << next;
            passed = bit | (bit - 1);
            left &= ~passed;
            if ((bits.opening & bit) != 0) {
                ++state.depth;
            } else if (state.depth == 0 && at[next] != '}') {
                state.newlines += static_cast<std::uint64_t>(std::popcount(bits.newlines & passed));
                return at + next;
            } else if (state.depth > 0) {
                --state.depth;
            }
        }
        state.newlines += static_cast<std::uint64_t>(std::popcount(bits.newlines));
        state.in_string = inside >> 63 != 0;
        at += 64;
    }
    return detail::find_element_end_by_byte(state, at, end);
}

}  // namespace bulk::json
