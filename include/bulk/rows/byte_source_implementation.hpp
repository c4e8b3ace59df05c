// SPDX-License-Identifier: MIT
#pragma once

// What sources of bytes do: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/rows/byte_source.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

BULK_INLINE byte_source behind(std::string first, byte_source rest) {
    return byte_source{[first = std::move(first), given = std::size_t{0}, rest = std::move(rest)](
                           std::span<char> into) mutable -> result<std::size_t> {
        if (given == first.size()) return rest.read_some(into);
        const std::size_t count = std::min(into.size(), first.size() - given);
        std::copy_n(first.data() + given, count, into.data());
        given += count;
        return count;
    }};
}

BULK_INLINE result<std::string> peek(byte_source& source, std::size_t size) {
    if (const auto text = source.memory()) return std::string{text->substr(0, size)};
    std::string begin(size, '\0');
    const auto got = source.read(begin);
    if (!got) return std::unexpected{got.error()};
    begin.resize(*got);
    source = behind(begin, std::move(source));
    return begin;
}

BULK_INLINE byte_source first_bytes(byte_source source, std::uint64_t size) {
    return byte_source{
        [source = std::move(source), size](std::span<char> into) mutable -> result<std::size_t> {
            const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size));
            if (most == 0) return std::size_t{0};
            auto got = source.read_some(into.first(most));
            if (got) size -= *got;
            return got;
        }};
}

BULK_INLINE byte_source at_most(byte_source bytes, std::string_view name, std::uint64_t most) {
    if (most == 0) return bytes;
    if (const auto content = bytes.memory(); content && content->size() <= most) return bytes;
    return byte_source{
        [bytes = std::move(bytes), name = std::string{name}, most,
         seen = std::uint64_t{0}](std::span<char> into) mutable -> result<std::size_t> {
            auto got = bytes.read_some(into);
            if (got) seen += *got;
            if (seen > most)
                return fail(errc::invalid_argument, concat("the file '", name, "' is larger than ",
                                                           most, " bytes, the most that is taken"));
            return got;
        }};
}

BULK_INLINE byte_source bytes_of_descriptor(descriptor file, std::string name) {
    return byte_source{[file = std::move(file),
                        name = std::move(name)](std::span<char> into) -> result<std::size_t> {
        while (true) {
            const auto got = ::read(file.number(), into.data(), into.size());
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR)
                return fail(errc::unavailable, concat("cannot read ", name, ": ",
                                                      std::generic_category().message(errno)));
        }
    }};
}

BULK_INLINE result<byte_source> bytes_of_file(const std::string& path, std::size_t offset) {
    descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    const auto refuse = [&](std::string_view what) {
        const int code = errno;
        return fail(
            code == ENOENT ? errc::not_found : errc::unavailable,
            concat("cannot ", what, ' ', path, ": ", std::generic_category().message(code)));
    };
    if (file.number() < 0) return refuse("open");
    if (offset > 0 && ::lseek(file.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return refuse("seek in");
    return bytes_of_descriptor(std::move(file), path);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
