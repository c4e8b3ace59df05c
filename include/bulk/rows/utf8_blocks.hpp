// SPDX-License-Identifier: MIT
#pragma once

// Whether text is UTF-8, 16 bytes at a time: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE std::size_t find_invalid_utf8(std::string_view text) {
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

namespace detail {

/// For each half of a byte, which errors it may be part of. An error is told by two bytes that
/// follow each other: it is there when the first byte's high half, its low half and the second
/// byte's high half all agree.
struct pair_errors {
    using table = std::array<std::uint8_t, 16>;
    table first_high{}, first_low{}, second_high{};

    consteval pair_errors() {
        constexpr unsigned any = 0xffff, ascii = 0x00ff, follows = 0x0f00, leads = 0xf000;
        add(0, leads, any, ascii | leads);  // a lead without its continuation
        add(1, ascii, any, follows);        // a continuation without its lead
        add(2, 0x4000, 0x0001, 0x0300);     // overlong: e0 80..9f
        add(3, 0x4000, 0x2000, 0x0c00);     // surrogates: ed a0..bf
        add(4, 0x1000, 0x0003, follows);    // overlong: c0, c1
        add(5, 0x8000, 0xfff0, 0x0e00);     // above U+10FFFF: f4 90.., f5..
        add(6, 0x8000, 0xffe1, 0x0100);     // overlong: f0 80..8f; above U+10FFFF: f5 80..
        add(7, follows, any, follows);      // fine behind a lead of three or four bytes
    }

    /// The error is there for these halves; bit n of a set is the half of value n.
    consteval void add(unsigned error, unsigned high, unsigned low, unsigned second) {
        const auto put = [&](table& halves, unsigned set) {
            for (unsigned n = 0; n < 16; ++n)
                halves[n] = static_cast<std::uint8_t>(halves[n] | (set >> n & 1) << error);
        };
        put(first_high, high);
        put(first_low, low);
        put(second_high, second);
    }
};
inline constexpr pair_errors utf8_errors{};

#if defined(__x86_64__)

/// 16 bytes at a time, by the tables above.
[[nodiscard, gnu::target("ssse3")]] inline bool is_valid_utf8_ssse3(std::string_view text) {
    const auto load = [](const void* from) __attribute__((target("ssse3"))) {
        return _mm_loadu_si128(static_cast<const __m128i*>(from));
    };
    const __m128i first_high = load(utf8_errors.first_high.data());
    const __m128i first_low = load(utf8_errors.first_low.data());
    const __m128i second_high = load(utf8_errors.second_high.data());
    const __m128i low_half = _mm_set1_epi8(0x0f);
    __m128i before = _mm_setzero_si128(), errors = _mm_setzero_si128();
    bool was_ascii = true;
    for (std::size_t i = 0; i <= text.size(); i += 16) {
        alignas(16) char last[16] = {};  // the last block goes on with zeros, which end a character
        const char* from = text.data() + i;
        if (text.size() - i < 16) {
            if (i < text.size()) std::memcpy(last, from, text.size() - i);
            from = last;
        }
        const __m128i bytes = load(from);
        const bool is_ascii = _mm_movemask_epi8(bytes) == 0;
        if (!is_ascii || !was_ascii) {
            const __m128i one = _mm_alignr_epi8(bytes, before, 15);
            const __m128i two = _mm_alignr_epi8(bytes, before, 14);
            const __m128i three = _mm_alignr_epi8(bytes, before, 13);
            const __m128i pairs = _mm_and_si128(
                _mm_and_si128(
                    _mm_shuffle_epi8(first_high, _mm_and_si128(_mm_srli_epi16(one, 4), low_half)),
                    _mm_shuffle_epi8(first_low, _mm_and_si128(one, low_half))),
                _mm_shuffle_epi8(second_high, _mm_and_si128(_mm_srli_epi16(bytes, 4), low_half)));
            // The highest bit is set where a third or fourth byte of a character must stand.
            const __m128i must = _mm_or_si128(_mm_subs_epu8(two, _mm_set1_epi8(0x60)),
                                              _mm_subs_epu8(three, _mm_set1_epi8(0x70)));
            errors = _mm_or_si128(errors,
                                  _mm_xor_si128(_mm_and_si128(must, _mm_set1_epi8(-0x80)), pairs));
        }
        before = bytes;
        was_ascii = is_ascii;
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(errors, _mm_setzero_si128())) == 0xffff;
}

#elif defined(__aarch64__)

/// 16 bytes at a time, by the tables above.
[[nodiscard]] inline bool is_valid_utf8_neon(std::string_view text) {
    const uint8x16_t first_high = vld1q_u8(utf8_errors.first_high.data());
    const uint8x16_t first_low = vld1q_u8(utf8_errors.first_low.data());
    const uint8x16_t second_high = vld1q_u8(utf8_errors.second_high.data());
    uint8x16_t before = vdupq_n_u8(0), errors = vdupq_n_u8(0);
    for (std::size_t i = 0; i <= text.size(); i += 16) {
        std::uint8_t last[16] = {};  // the last block goes on with zeros, which end a character
        const std::size_t size = std::min<std::size_t>(text.size() - i, 16);
        if (size > 0) std::memcpy(last, text.data() + i, size);
        const uint8x16_t bytes = vld1q_u8(last);
        const uint8x16_t one = vextq_u8(before, bytes, 15);
        const uint8x16_t two = vextq_u8(before, bytes, 14);
        const uint8x16_t three = vextq_u8(before, bytes, 13);
        const uint8x16_t pairs =
            vandq_u8(vandq_u8(vqtbl1q_u8(first_high, vshrq_n_u8(one, 4)),
                              vqtbl1q_u8(first_low, vandq_u8(one, vdupq_n_u8(0x0f)))),
                     vqtbl1q_u8(second_high, vshrq_n_u8(bytes, 4)));
        const uint8x16_t must =
            vorrq_u8(vqsubq_u8(two, vdupq_n_u8(0x60)), vqsubq_u8(three, vdupq_n_u8(0x70)));
        errors = vorrq_u8(errors, veorq_u8(vandq_u8(must, vdupq_n_u8(0x80)), pairs));
        before = bytes;
    }
    return vmaxvq_u8(errors) == 0;
}

#endif

}  // namespace detail

BULK_INLINE bool is_valid_utf8(std::string_view text) {
    if (text.size() >= 16) {
#if defined(__x86_64__)
        static const bool has_shuffle = __builtin_cpu_supports("ssse3");
        if (has_shuffle) return detail::is_valid_utf8_ssse3(text);
#elif defined(__aarch64__)
        return detail::is_valid_utf8_neon(text);
#endif
    }
    return find_invalid_utf8(text) == text.size();
}

BULK_INLINE std::string mended_utf8(std::string_view text) {
    std::string mended;
    while (true) {
        const auto good = find_invalid_utf8(text);
        mended += text.substr(0, good);
        if (good == text.size()) return mended;
        mended += "\xef\xbf\xbd";
        text.remove_prefix(good + 1);
    }
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
