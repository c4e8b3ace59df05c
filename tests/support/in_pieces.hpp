// A text that arrives in small reads, as from a socket.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace support {

/// Each read delivers at most `piece` bytes.
inline bulk::byte_source in_pieces(std::string text, std::size_t piece) {
    return bulk::byte_source{[text = std::move(text), piece, at = std::size_t{0}](
                                 std::span<char> into) mutable -> bulk::result<std::size_t> {
        const std::size_t count = std::min({text.size() - at, into.size(), piece});
        std::copy_n(text.data() + at, count, into.data());
        at += count;
        return count;
    }};
}

}  // namespace support
