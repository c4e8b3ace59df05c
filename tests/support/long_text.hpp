// A text of any size that is made while it is read.
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace support {

/// `begin`, then `part` again and again for about so many bytes, then `end`.
inline bulk::byte_source long_text(std::string begin, const std::string& part, std::size_t bytes,
                                   std::string end) {
    std::string many;
    while (many.size() < 4096) many += part;
    const std::size_t middle = bytes / many.size() * many.size();
    return bulk::byte_source{
        [begin = std::move(begin), end = std::move(end), many = std::move(many), middle,
         at = std::size_t{0}](std::span<char> into) mutable -> bulk::result<std::size_t> {
            const auto copied = [&](std::string_view from, std::size_t offset) {
                const std::size_t count = std::min(into.size(), from.size() - offset);
                std::copy_n(from.data() + offset, count, into.data());
                at += count;
                return count;
            };
            if (at < begin.size()) return copied(begin, at);
            const std::size_t inner = at - begin.size();
            if (inner < middle) return copied(many, inner % many.size());
            return copied(end, inner - middle);
        }};
}

}  // namespace support
