// SPDX-License-Identifier: MIT
#pragma once

// What sources of text do: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/byte_source_implementation.hpp>
#include <bulk/rows/gzip.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/text_source.hpp>
#include <bulk/rows/unpack_meter.hpp>
#include <bulk/rows/utf16.hpp>
#include <bulk/rows/utf8.hpp>
#include <bulk/rows/utf8_blocks.hpp>
#include <bulk/rows/zstd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

namespace detail {

struct known_bytes {
    std::string_view bytes;
    std::string_view name;
};

/// Files that are not text, by how they begin, so that the message can name them.
inline constexpr std::array<known_bytes, 10> not_text{{
    {{"PK\x03\x04", 4}, "a zip archive (an .xlsx workbook is one, too)"},
    {{"\xd0\xcf\x11\xe0", 4}, "an old Office document (.xls or .doc)"},
    {{"%PDF", 4}, "a PDF document"},
    {{"BZh", 3}, "a bzip2 file"},
    {{"\xfd\x37zXZ", 5}, "an xz file"},
    {{"7z\xbc\xaf", 4}, "a 7-Zip archive"},
    {{"PAR1", 4}, "a Parquet file"},
    {{"\x89PNG", 4}, "a PNG picture"},
    {{"SQLite format 3", 15}, "an SQLite database"},
    {{"\x7f"
      "ELF",
      4},
     "a program"},
}};

/// Whether a file that begins so is not UTF-8 text. A NUL alone does not say so, since some programs
/// fill up fields with it; one of the first two bytes, half of all, or company that text does not have
/// either, does: UTF-16 without its byte order mark has one of these.
[[nodiscard]] inline bool is_binary(std::string_view begin) {
    const auto nuls = std::ranges::count(begin, '\0');
    if (nuls == 0) return false;
    if (begin.substr(0, 2).contains('\0') || static_cast<std::size_t>(nuls) * 2 >= begin.size())
        return true;
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\0' && c != '\t' && c != '\n' &&
               c != '\r';
    };
    // The last character may go on behind what is known.
    return std::ranges::any_of(begin, is_control) || find_invalid_utf8(begin) + 3 < begin.size();
}

}  // namespace detail

BULK_INLINE result<byte_source> text_of(byte_source source, const unpack_limits& limits) {
    unpack_meter meter{limits};
    for (int layers = 0; layers < 4; ++layers) {
        const auto begin = peek(source, 32);
        if (!begin) return std::unexpected{begin.error()};
        const std::string_view bytes = *begin;
        const auto refuse = [](std::string_view what) {
            return fail(errc::invalid_row, concat("the file is ", what, ", not text"));
        };
        for (const auto& known : detail::not_text)
            if (bytes.starts_with(known.bytes)) return refuse(known.name);
        if (bytes.starts_with(std::string_view{"\xff\xfe\0\0", 4}) ||
            bytes.starts_with(std::string_view{"\0\0\xfe\xff", 4}))
            return fail(errc::invalid_row, "the file is in UTF-32; save it as UTF-8");
        const bool is_gzip = bytes.starts_with("\x1f\x8b");
        const bool is_zstd = begins_like_zstd(bytes);
        const bool little = bytes.starts_with("\xff\xfe"), big = bytes.starts_with("\xfe\xff");
        if (little || big) {
            char mark[2];
            if (auto skipped = source.read(mark); !skipped)
                return std::unexpected{std::move(skipped).error()};
            return utf16_to_utf8(std::move(source), big);
        }
        if (!is_gzip && !is_zstd) {
            if (detail::is_binary(bytes))
                return fail(errc::invalid_row,
                            "the file is binary, or UTF-16 without its byte order mark; save it as "
                            "UTF-8");
            return source;
        }
        if (layers == 0) source = meter.packed(std::move(source));
        source = meter.unpacked(is_gzip ? gunzip(std::move(source)) : unzstd(std::move(source)));
    }
    return fail(errc::invalid_row, "the file is packed more than three times over");
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
