// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// UTF-16 text, behind its byte order mark, as UTF-8. Half of a surrogate pair, or half of a unit at
/// the end, becomes a byte that is never valid UTF-8: an error of the row that it stands in.
[[nodiscard]] inline byte_source utf16_to_utf8(byte_source source, bool big_endian) {
    struct state {
        byte_source source;
        bool big_endian;
        std::vector<char> input = std::vector<char>(16 * 1024);
        std::size_t kept = 0;  ///< bytes of a unit or pair that is not whole yet
        std::string output{};
        std::size_t given = 0;
        bool ended = false;

        [[nodiscard]] std::uint32_t unit(std::size_t at) const {
            const auto first = static_cast<unsigned char>(input[at]);
            const auto second = static_cast<unsigned char>(input[at + 1]);
            return big_endian ? first * 256U + second : second * 256U + first;
        }

        void put(std::uint32_t point) {
            char bytes[4];
            output.append(bytes, put_utf8(bytes, point));
        }

        void convert(std::size_t size) {
            output.clear();
            given = 0;
            std::size_t at = 0;
            while (size - at >= 2) {
                const std::uint32_t first = unit(at);
                if (first < 0xd800 || first > 0xdfff) {
                    put(first);
                    at += 2;
                } else if (first > 0xdbff) {
                    output += '\xff';
                    at += 2;
                } else if (size - at >= 4) {
                    const std::uint32_t second = unit(at + 2);
                    const bool is_pair = second >= 0xdc00 && second <= 0xdfff;
                    if (is_pair)
                        put(0x1'0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                    else
                        output += '\xff';
                    at += is_pair ? 4 : 2;
                } else {
                    break;
                }
            }
            if (ended && at < size) {
                output += '\xff';
                at = size;
            }
            kept = size - at;
            std::copy_n(input.data() + at, kept, input.data());
        }
    };
    return byte_source{[held = state{std::move(source), big_endian}](
                           std::span<char> into) mutable -> result<std::size_t> {
        while (held.given == held.output.size()) {
            if (held.ended) return std::size_t{0};
            const auto got = held.source.read_some(std::span{held.input}.subspan(held.kept));
            if (!got) return std::unexpected{got.error()};
            held.ended = *got == 0;
            held.convert(held.kept + *got);
        }
        const std::size_t count = std::min(into.size(), held.output.size() - held.given);
        std::copy_n(held.output.data() + held.given, count, into.data());
        held.given += count;
        return count;
    }};
}

}  // namespace bulk
