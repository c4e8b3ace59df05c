// SPDX-License-Identifier: MIT
#pragma once

// 64 bytes at a time, as bits: which bytes are quotes, delimiters, line feeds, carriage returns.
// One function per instruction set, the fastest one chosen at run time. The functions differ in
// nothing else, so they are written out: a compiler inlines no intrinsic into a template that was
// not compiled for it.

#include <bulk/core/linkage.hpp>
#include <bulk/rows/bits.hpp>
#include <bulk/rows/csv/instruction_set.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace bulk::csv {

/// Bit i says something about byte i.
struct block {
    std::uint64_t quotes = 0;
    std::uint64_t delimiters = 0;
    std::uint64_t line_feeds = 0;
    std::uint64_t carriage_returns = 0;
    std::uint64_t inside = 0;  ///< up to this byte there is an odd number of quotes in the block
};

/// So many blocks are read in one call: enough that the call is nothing, few enough that they and
/// their text stay in the nearest cache.
inline constexpr std::size_t blocks_at_once = 64;
using blocks = std::array<block, blocks_at_once>;

/// What is true of some blocks together.
struct block_summary {
    std::uint64_t quotes = 0;            ///< not 0: there are some
    std::uint64_t carriage_returns = 0;  ///< not 0: there are some
    bool ascii = true;                   ///< all bytes are
};

// Each reads `count` blocks of text into `out`.

[[nodiscard]] inline block_summary read_blocks_portable(const char* text, std::size_t count,
                                                        char delimiter, char quote, blocks& out) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101, highs = 0x8080'8080'8080'8080;
    // A byte that equals `c` becomes zero; zero bytes are found without a carry to the next byte.
    const auto equal = [](std::uint64_t word, char c) {
        const std::uint64_t x = word ^ ones * static_cast<unsigned char>(c);
        const std::uint64_t zero = ~((x & ~highs) + ~highs) & ~x & highs;
        return (zero >> 7) * 0x0102'0408'1020'4080 >> 56;  // bit i: byte i was zero
    };
    std::uint64_t any = 0;
    block_summary sum;
    for (std::size_t i = 0; i < count; ++i) {
        block read;
        for (std::size_t part = 0; part < 64; part += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, text + i * 64 + part, 8);
            if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
            any |= word;
            read.quotes |= equal(word, quote) << part;
            read.delimiters |= equal(word, delimiter) << part;
            read.line_feeds |= equal(word, '\n') << part;
            read.carriage_returns |= equal(word, '\r') << part;
        }
        read.inside = prefix_xor(read.quotes);
        sum.quotes |= read.quotes;
        sum.carriage_returns |= read.carriage_returns;
        out[i] = read;
    }
    sum.ascii = (any & highs) == 0;
    return sum;
}

#if defined(__x86_64__)

[[nodiscard]] inline block_summary read_blocks_sse2(const char* text, std::size_t count,
                                                    char delimiter, char quote, blocks& out) {
    __m128i any = _mm_setzero_si128();
    block_summary sum;
    for (std::size_t i = 0; i < count; ++i) {
        __m128i parts[4];
        for (int part = 0; part < 4; ++part) {
            parts[part] =
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i * 64 + part * 16));
            any = _mm_or_si128(any, parts[part]);
        }
        const auto equal = [&](char c) {
            const __m128i wanted = _mm_set1_epi8(c);
            std::uint64_t bits = 0;
            for (int part = 3; part >= 0; --part)
                bits = bits << 16 | static_cast<unsigned>(
                                        _mm_movemask_epi8(_mm_cmpeq_epi8(parts[part], wanted)));
            return bits;
        };
        const std::uint64_t quotes = equal(quote);
        out[i] = {.quotes = quotes,
                  .delimiters = equal(delimiter),
                  .line_feeds = equal('\n'),
                  .carriage_returns = equal('\r'),
                  .inside = prefix_xor(quotes)};
        sum.quotes |= out[i].quotes;
        sum.carriage_returns |= out[i].carriage_returns;
    }
    sum.ascii = _mm_movemask_epi8(any) == 0;
    return sum;
}

/// A carry-less product with all ones is a prefix exclusive or.
[[nodiscard, gnu::target("avx2,pclmul")]] inline block_summary read_blocks_avx2(
    const char* text, std::size_t count, char delimiter, char quote, blocks& out) {
    const __m256i wanted[4] = {_mm256_set1_epi8(quote), _mm256_set1_epi8(delimiter),
                               _mm256_set1_epi8('\n'), _mm256_set1_epi8('\r')};
    __m256i any = _mm256_setzero_si256();
    block_summary sum;
    for (std::size_t i = 0; i < count; ++i) {
        const char* at = text + i * 64;
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
        any = _mm256_or_si256(any, _mm256_or_si256(low, high));
        std::uint64_t equal[4];
        for (int c = 0; c < 4; ++c) {
            const auto in_low =
                static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted[c])));
            const auto in_high = static_cast<std::uint32_t>(
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted[c])));
            equal[c] = in_low | std::uint64_t{in_high} << 32;
        }
        const __m128i inside =
            _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(equal[0])),
                                 _mm_set1_epi8(static_cast<char>(0xff)), 0);
        out[i] = {.quotes = equal[0],
                  .delimiters = equal[1],
                  .line_feeds = equal[2],
                  .carriage_returns = equal[3],
                  .inside = static_cast<std::uint64_t>(_mm_cvtsi128_si64(inside))};
        sum.quotes |= out[i].quotes;
        sum.carriage_returns |= out[i].carriage_returns;
    }
    sum.ascii = _mm256_movemask_epi8(any) == 0;
    return sum;
}

[[nodiscard, gnu::target("avx512f,avx512bw,avx512vbmi2,pclmul")]] inline block_summary
read_blocks_avx512(const char* text, std::size_t count, char delimiter, char quote, blocks& out) {
    __m512i any = _mm512_setzero_si512();
    block_summary sum;
    for (std::size_t i = 0; i < count; ++i) {
        const __m512i bytes = _mm512_loadu_si512(text + i * 64);
        any = _mm512_or_si512(any, bytes);
        const std::uint64_t quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(quote));
        const __m128i inside =
            _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quotes)),
                                 _mm_set1_epi8(static_cast<char>(0xff)), 0);
        out[i] = {.quotes = quotes,
                  .delimiters = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(delimiter)),
                  .line_feeds = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')),
                  .carriage_returns = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r')),
                  .inside = static_cast<std::uint64_t>(_mm_cvtsi128_si64(inside))};
        sum.quotes |= out[i].quotes;
        sum.carriage_returns |= out[i].carriage_returns;
    }
    sum.ascii = _mm512_movepi8_mask(any) == 0;
    return sum;
}

#elif defined(__aarch64__)

[[nodiscard]] inline block_summary read_blocks_neon(const char* text, std::size_t count,
                                                    char delimiter, char quote, blocks& out) {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t any = vdupq_n_u8(0);
    block_summary sum;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* at = reinterpret_cast<const std::uint8_t*>(text + i * 64);
        const uint8x16_t parts[4] = {vld1q_u8(at), vld1q_u8(at + 16), vld1q_u8(at + 32),
                                     vld1q_u8(at + 48)};
        for (const auto& part : parts) any = vorrq_u8(any, part);
        const auto equal = [&](char c) {
            const uint8x16_t wanted = vdupq_n_u8(static_cast<std::uint8_t>(c));
            const auto part = [&](int p) { return vandq_u8(vceqq_u8(parts[p], wanted), weights); };
            uint8x16_t sum = vpaddq_u8(vpaddq_u8(part(0), part(1)), vpaddq_u8(part(2), part(3)));
            sum = vpaddq_u8(sum, sum);
            return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
        };
        const std::uint64_t quotes = equal(quote);
        out[i] = {.quotes = quotes,
                  .delimiters = equal(delimiter),
                  .line_feeds = equal('\n'),
                  .carriage_returns = equal('\r'),
                  .inside = prefix_xor(quotes)};
        sum.quotes |= out[i].quotes;
        sum.carriage_returns |= out[i].carriage_returns;
    }
    sum.ascii = vmaxvq_u8(any) < 0x80;
    return sum;
}

#endif

[[nodiscard]] inline block_summary read_blocks(instruction_set set, const char* text,
                                               std::size_t count, char delimiter, char quote,
                                               blocks& out) {
    switch (set) {
#if defined(__x86_64__)
        case instruction_set::avx512:
            return read_blocks_avx512(text, count, delimiter, quote, out);
        case instruction_set::avx2:
            return read_blocks_avx2(text, count, delimiter, quote, out);
        case instruction_set::sse2:
            return read_blocks_sse2(text, count, delimiter, quote, out);
#elif defined(__aarch64__)
        case instruction_set::neon:
            return read_blocks_neon(text, count, delimiter, quote, out);
#endif
        default:
            return read_blocks_portable(text, count, delimiter, quote, out);
    }
}

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
/// Whether this machine has what the instruction set needs.
BULK_INLINE bool is_supported(instruction_set set) {
#if defined(__x86_64__)
    if (set == instruction_set::sse2) return true;
    if (set == instruction_set::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("pclmul");
    if (set == instruction_set::avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul");
#elif defined(__aarch64__)
    if (set == instruction_set::neon) return true;
#endif
    return set == instruction_set::portable;
}

BULK_INLINE instruction_set best_instruction_set() {
    using enum instruction_set;
    for (const auto set : {avx512, avx2, neon, sse2})
        if (is_supported(set)) return set;
    return portable;
}
// NOLINTEND(misc-definitions-in-headers)

}  // namespace bulk::csv
