// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

namespace detail {

/// Converts a source of UTF-16 as it is read.
class utf16_converter {
public:
    utf16_converter(byte_source source, bool big_endian)
        : source_{std::move(source)}, big_endian_{big_endian} {}

    [[nodiscard]] result<std::size_t> operator()(std::span<char> into) {
        while (given_ == output_.size()) {
            if (ended_) return std::size_t{0};
            const auto got = source_.read_some(std::span{input_}.subspan(kept_));
            if (!got) return std::unexpected{got.error()};
            ended_ = *got == 0;
            convert(kept_ + *got);
        }
        const std::size_t count = std::min(into.size(), output_.size() - given_);
        std::copy_n(output_.data() + given_, count, into.data());
        given_ += count;
        return count;
    }

private:
    [[nodiscard]] std::uint32_t unit(std::size_t at) const {
        const auto first = static_cast<unsigned char>(input_[at]);
        const auto second = static_cast<unsigned char>(input_[at + 1]);
        return big_endian_ ? first * 256U + second : second * 256U + first;
    }

    void put(std::uint32_t point) {
        char bytes[4];
        output_.append(bytes, put_utf8(bytes, point));
    }

    void convert(std::size_t size) {
        output_.clear();
        given_ = 0;
        std::size_t at = 0;
        while (size - at >= 2) {
            const std::uint32_t first = unit(at);
            if (first < 0xd800 || first > 0xdfff) {
                put(first);
                at += 2;
            } else if (first > 0xdbff) {
                output_ += '\xff';
                at += 2;
            } else if (size - at >= 4) {
                const std::uint32_t second = unit(at + 2);
                const bool is_pair = second >= 0xdc00 && second <= 0xdfff;
                if (is_pair)
                    put(0x1'0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                else
                    output_ += '\xff';
                at += is_pair ? 4 : 2;
            } else {
                break;
            }
        }
        if (ended_ && at < size) {
            output_ += '\xff';
            at = size;
        }
        kept_ = size - at;
        std::copy_n(input_.data() + at, kept_, input_.data());
    }

    byte_source source_;
    bool big_endian_;
    std::vector<char> input_ = std::vector<char>(16 * 1024);
    std::size_t kept_ = 0;  ///< bytes of a unit or pair that is not whole yet
    std::string output_;
    std::size_t given_ = 0;
    bool ended_ = false;
};

}  // namespace detail

/// UTF-16 text, behind its byte order mark, as UTF-8. Half of a surrogate pair, or half of a unit at
/// the end, becomes a byte that is never valid UTF-8: an error of the row that it stands in.
[[nodiscard]] inline byte_source utf16_to_utf8(byte_source source, bool big_endian) {
    return byte_source{detail::utf16_converter{std::move(source), big_endian}};
}

}  // namespace bulk
