// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace bulk::files {

/// What the store asks of the system, as the system answers: -1 and `errno`. A test brings calls of
/// its own, which fail where it wants them to.
struct system_calls {
    [[nodiscard]] int open(const char* path, int flags, mode_t mode) const {
        return ::open(path, flags, mode);
    }
    int close(int file) const { return ::close(file); }
    [[nodiscard]] ssize_t write(int file, const char* from, std::size_t size) const {
        return ::write(file, from, size);
    }
    [[nodiscard]] ssize_t pread(int file, char* into, std::size_t size, off_t at) const {
        return ::pread(file, into, size, at);
    }
    [[nodiscard]] int fstat(int file, struct stat* about) const { return ::fstat(file, about); }
    [[nodiscard]] int fsync(int file) const { return ::fsync(file); }
    [[nodiscard]] int lock(int file) const { return ::flock(file, LOCK_EX | LOCK_NB); }
    [[nodiscard]] int mkdir(const char* path, mode_t mode) const { return ::mkdir(path, mode); }
    [[nodiscard]] int rename(const char* from, const char* to) const { return ::rename(from, to); }
    [[nodiscard]] int unlink(const char* path) const { return ::unlink(path); }
    [[nodiscard]] int rmdir(const char* path) const { return ::rmdir(path); }
};

/// A call that a signal interrupted is made again.
template <typename Call>
[[nodiscard]] auto uninterrupted(Call call) {
    while (true)
        if (const auto answer = call(); answer >= 0 || errno != EINTR) return answer;
}

/// What somebody can do about it.
[[nodiscard]] inline std::string_view advice_on(int code) {
    switch (code) {
        case ENOSPC:
        case EDQUOT:
            return "; free some space there, and try again";
        case EFBIG:
            return "; allow larger files (ulimit -f), and try again";
        case EACCES:
        case EPERM:
        case EROFS:
            return "; let this program read and write there, or choose another base_path";
        case EIO:
            return "; the disk may be broken: the log of the system tells more";
        case EMFILE:
        case ENFILE:
            return "; raise the limit of open files";
        case ENOENT:
            return "; was it removed by hand?";
        default:
            return "";
    }
}

/// Whether a call failed because the path leads nowhere, or through a file as if it were a folder.
[[nodiscard]] constexpr bool is_not_found(int code) { return code == ENOENT || code == ENOTDIR; }

/// A call that failed: at what, and why. Nothing is there (`not_found`), or it may help to try again.
[[nodiscard]] inline std::unexpected<error> failed_call(std::string_view what,
                                                        std::string_view path, int code) {
    return fail(is_not_found(code) ? errc::not_found : errc::unavailable,
                concat("cannot ", what, ' ', path, ": ", std::generic_category().message(code),
                       advice_on(code)));
}

}  // namespace bulk::files
