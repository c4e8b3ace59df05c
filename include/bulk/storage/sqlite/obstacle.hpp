// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace bulk::sqlite {

/// Which file a path leads to. Two paths with the same identity are one file.
struct file_identity {
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const file_identity&) const = default;
};

[[nodiscard]] inline std::optional<file_identity> identity_of(const std::string& path) {
    struct stat now{};
    if (::stat(path.c_str(), &now) != 0) return std::nullopt;
    return file_identity{now.st_dev, now.st_ino};
}

/// A file that has not changed since it had this state.
struct file_state {
    file_identity file{};
    std::int64_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    bool operator==(const file_state&) const = default;
};

[[nodiscard]] inline std::optional<file_state> state_of(const std::string& path) {
    struct stat now{};
    if (::stat(path.c_str(), &now) != 0) return std::nullopt;
    return file_state{
        {now.st_dev, now.st_ino}, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
}

[[nodiscard]] inline std::string directory_of(std::string_view path) {
    const auto parent = std::filesystem::path{path}.parent_path();
    return parent.empty() ? "." : parent.string();
}

/// Whether the file system of a file has no room left, not even for what SQLite keeps beside it.
[[nodiscard]] inline bool is_disk_full(std::string_view path) {
    constexpr std::uint64_t enough = 65'536;
    struct statvfs disk{};
    if (::statvfs(directory_of(path).c_str(), &disk) != 0) return false;
    return std::uint64_t{disk.f_bavail} * disk.f_frsize < enough;
}

/// Why a database cannot be written, as far as the system says; empty: nothing is in the way.
[[nodiscard]] inline std::string obstacle_to_writing(std::string_view path) {
    const std::string directory = directory_of(path), file{path};
    struct statvfs disk{};
    if (::statvfs(directory.c_str(), &disk) == 0 && (disk.f_flag & ST_RDONLY) != 0)
        return "its file system is mounted read-only";
    if (is_disk_full(path)) return "its file system is full";
    const auto is_refused = [](const std::string& each, int right) {
        return ::faccessat(AT_FDCWD, each.c_str(), right, AT_EACCESS) != 0 && errno == EACCES;
    };
    if (is_refused(file, W_OK)) return "this user may not write the file";
    if (is_refused(directory, W_OK | X_OK))
        return concat("this user may not create files in ", directory);
    return {};
}

}  // namespace bulk::sqlite
