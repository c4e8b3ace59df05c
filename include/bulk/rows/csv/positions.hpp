// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/linkage.hpp>
#include <bulk/rows/csv/blocks.hpp>
#include <bulk/rows/csv/end_positions.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace bulk::csv {

namespace detail {

/// The positions of the bits of each byte, and how many they are.
struct bit_positions {
    std::array<std::array<std::uint8_t, 8>, 256> of{};
    std::array<std::uint8_t, 256> count{};
};
inline constexpr bit_positions positions = [] {
    bit_positions table;
    for (std::size_t byte = 0; byte < 256; ++byte)
        for (std::uint8_t bit = 0; bit < 8; ++bit)
            if ((byte >> bit & 1) != 0) table.of[byte][table.count[byte]++] = bit;
    return table;
}();

/// Writes how many field ends there are up to each row's end. Two rows at most are usual in 64
/// bytes: two are written whether there are or not, since a branch would be mispredicted.
[[gnu::always_inline]] inline std::uint32_t* put_rows(block_ends ends, std::size_t before,
                                                      std::uint32_t* next) {
    const auto up_to = [&](std::uint64_t rows) {
        return static_cast<std::uint32_t>(
            before + static_cast<std::size_t>(std::popcount(ends.fields & (rows ^ (rows - 1)))));
    };
    std::uint32_t* const end = next + std::popcount(ends.rows);
    *next++ = up_to(ends.rows);
    ends.rows &= ends.rows - 1;
    *next++ = up_to(ends.rows);
    ends.rows &= ends.rows - 1;
    for (; ends.rows != 0; ends.rows &= ends.rows - 1) *next++ = up_to(ends.rows);
    return end;
}

struct targets {
    std::uint32_t* first_field;
    std::uint32_t* field;
    std::uint32_t* row;
};

/// Eight positions at a time, whether there are as many or not: a loop over the bits would be
/// mispredicted once a block, which costs more than all this.
[[gnu::always_inline]] inline void put_ends(std::span<const block_ends> all, std::size_t base,
                                            targets& to) {
    using bytes [[gnu::vector_size(8)]] = std::uint8_t;
    using words [[gnu::vector_size(32)]] = std::uint32_t;
    for (const block_ends ends : all) {
        to.row = put_rows(ends, static_cast<std::size_t>(to.field - to.first_field), to.row);
        for (unsigned part = 0; part < 64; part += 8) {
            const std::size_t byte = ends.fields >> part & 0xff;
            bytes narrow;
            std::memcpy(&narrow, positions.of[byte].data(), sizeof narrow);
            const words wide =
                __builtin_convertvector(narrow, words) + static_cast<std::uint32_t>(base + part);
            std::memcpy(to.field, &wide, sizeof wide);
            to.field += positions.count[byte];
        }
        base += 64;
    }
}

#if defined(__x86_64__)

/// Ten positions at a time, one after the other: with an instruction that finds the lowest bit and
/// one that clears it, that is faster than the table above.
[[gnu::target("avx2,bmi,popcnt")]] inline void put_ends_avx2(std::span<const block_ends> all,
                                                             std::size_t base, targets& to) {
    for (const block_ends ends : all) {
        to.row = put_rows(ends, static_cast<std::size_t>(to.field - to.first_field), to.row);
        std::uint64_t left = ends.fields;
        std::uint32_t* next = to.field;
        to.field += std::popcount(left);
        do {
#pragma GCC unroll 10
            for (int i = 0; i < 10; ++i) {
                *next++ =
                    static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(_tzcnt_u64(left));
                left = _blsr_u64(left);
            }
        } while (left != 0);
        base += 64;
    }
}

/// One instruction gathers the positions of all bits.
[[gnu::target("avx512f,avx512bw,avx512vbmi2,bmi,popcnt")]] inline void put_ends_avx512(
    std::span<const block_ends> all, std::size_t base, targets& to) {
    alignas(64) std::array<std::uint8_t, 64> count_up;
    for (std::uint8_t i = 0; i < 64; ++i) count_up[i] = i;
    const __m512i all_positions = _mm512_load_si512(count_up.data());
    for (const block_ends ends : all) {
        to.row = put_rows(ends, static_cast<std::size_t>(to.field - to.first_field), to.row);
        const __m512i found = _mm512_maskz_compress_epi8(ends.fields, all_positions);
        const __m512i from = _mm512_set1_epi32(static_cast<int>(base));
        const int count = std::popcount(ends.fields);
        const auto put = [&](__m128i sixteen, int at) __attribute__((
                             target("avx512f,avx512bw,avx512vbmi2,bmi,popcnt"), always_inline)) {
            _mm512_storeu_si512(to.field + at,
                                _mm512_add_epi32(_mm512_cvtepu8_epi32(sixteen), from));
        };
        put(_mm512_castsi512_si128(found), 0);
        if (count > 16) {
            put(_mm512_extracti32x4_epi32(found, 1), 16);
            if (count > 32) {
                put(_mm512_extracti32x4_epi32(found, 2), 32);
                put(_mm512_extracti32x4_epi32(found, 3), 48);
            }
        }
        to.field += count;
        base += 64;
    }
}

#endif

}  // namespace detail

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE void end_positions::put(instruction_set set, std::span<const block_ends> ends,
                                    std::size_t base) {
    make_room(fields_, field_count_ + ends.size() * 64);
    make_room(rows_, row_count_ + ends.size() * 64);
    detail::targets to{fields_.data(), fields_.data() + field_count_, rows_.data() + row_count_};
    switch (set) {
#if defined(__x86_64__)
        case instruction_set::avx512:
            detail::put_ends_avx512(ends, base, to);
            break;
        case instruction_set::avx2:
            detail::put_ends_avx2(ends, base, to);
            break;
#endif
        default:
            detail::put_ends(ends, base, to);
    }
    field_count_ = static_cast<std::size_t>(to.field - fields_.data());
    row_count_ = static_cast<std::size_t>(to.row - rows_.data());
}

BULK_INLINE void end_positions::put_row_end(std::size_t position) {
    make_room(fields_, field_count_ + 1);
    make_room(rows_, row_count_ + 1);
    fields_[field_count_++] = static_cast<std::uint32_t>(position);
    rows_[row_count_++] = static_cast<std::uint32_t>(field_count_);
}

BULK_INLINE void end_positions::make_room(std::vector<std::uint32_t>& numbers, std::size_t count) {
    if (numbers.size() < count + slack) numbers.resize(std::max(count + slack, 2 * numbers.size()));
}
// NOLINTEND(misc-definitions-in-headers)

}  // namespace bulk::csv
