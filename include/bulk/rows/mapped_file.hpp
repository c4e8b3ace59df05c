// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace bulk {

/// A file as memory, read where it is. Only for files that nobody cuts off meanwhile: touching what
/// is not there any more ends the program with SIGBUS. `bytes_of_file` has no such condition and is
/// hardly slower.
[[nodiscard]] inline result<byte_source> bytes_of_mapped_file(const std::string& path) {
    const auto refuse = [&](std::string_view what) {
        const int code = errno;
        return fail(
            code == ENOENT ? errc::not_found : errc::unavailable,
            concat("cannot ", what, ' ', path, ": ", std::generic_category().message(code)));
    };
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number() < 0) return refuse("open");
    struct stat about{};
    if (::fstat(file.number(), &about) != 0) return refuse("look at");
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size == 0) return bytes_of_text({});
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (memory == MAP_FAILED) return refuse("map");
    ::madvise(memory, size, MADV_SEQUENTIAL);
    const std::shared_ptr<const void> owner{
        memory, [size](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); }};
    return byte_source{std::string_view{static_cast<const char*>(memory), size}, owner};
}

}  // namespace bulk
