// SPDX-License-Identifier: MIT
#pragma once

// Blocks of text without quotes and carriage returns, of which only the ends of fields and rows have to be
// written down. One function per instruction set: see blocks.hpp.

#include <bulk/rows/csv/blocks.hpp>
#include <bulk/rows/csv/end_positions.hpp>
#include <bulk/rows/csv/instruction_set.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bulk::csv {

#if defined(__x86_64__)

[[nodiscard, gnu::target("avx2")]] inline block_summary read_plain_ends_avx2(
    const char* text, std::size_t count, char delimiter, char quote, block_ends* out) {
    const __m256i delimiters = _mm256_set1_epi8(delimiter), line_feeds = _mm256_set1_epi8('\n');
    const __m256i quotes = _mm256_set1_epi8(quote), returns = _mm256_set1_epi8('\r');
    __m256i any = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (std::size_t i = 0; i < count; ++i) {
        block_ends ends;
        for (int part = 0; part < 2; ++part) {
            const __m256i bytes =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + i * 64) + part);
            any = _mm256_or_si256(any, bytes);
            odd = _mm256_or_si256(odd, _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quotes),
                                                       _mm256_cmpeq_epi8(bytes, returns)));
            const __m256i rows = _mm256_cmpeq_epi8(bytes, line_feeds);
            const __m256i fields = _mm256_or_si256(rows, _mm256_cmpeq_epi8(bytes, delimiters));
            const auto bits = [](__m256i mask) __attribute__((target("avx2"), always_inline)) {
                return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(mask))};
            };
            ends.rows |= bits(rows) << 32 * part;
            ends.fields |= bits(fields) << 32 * part;
        }
        out[i] = ends;
    }
    return {.quotes = _mm256_movemask_epi8(odd) != 0, .ascii = _mm256_movemask_epi8(any) == 0};
}

[[nodiscard, gnu::target("avx512f,avx512bw")]] inline block_summary read_plain_ends_avx512(
    const char* text, std::size_t count, char delimiter, char quote, block_ends* out) {
    __m512i any = _mm512_setzero_si512();
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const __m512i bytes = _mm512_loadu_si512(text + i * 64);
        any = _mm512_or_si512(any, bytes);
        odd |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(quote)) |
               _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r'));
        const std::uint64_t rows = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));
        out[i] = {rows | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(delimiter)), rows};
    }
    return {.quotes = odd, .ascii = _mm512_movepi8_mask(any) == 0};
}

#endif

/// Tries the text as one without quotes and carriage returns; if it is none, or the instruction set
/// has no faster way for it, the summary has quotes.
[[nodiscard]] inline block_summary read_plain_ends(instruction_set set,
                                                   [[maybe_unused]] const char* text,
                                                   [[maybe_unused]] std::size_t count,
                                                   [[maybe_unused]] char delimiter,
                                                   [[maybe_unused]] char quote,
                                                   [[maybe_unused]] block_ends* out) {
    switch (set) {
#if defined(__x86_64__)
        case instruction_set::avx512:
            return read_plain_ends_avx512(text, count, delimiter, quote, out);
        case instruction_set::avx2:
            return read_plain_ends_avx2(text, count, delimiter, quote, out);
#endif
        default:
            return {.quotes = 1};
    }
}

}  // namespace bulk::csv
