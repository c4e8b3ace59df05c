// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace bulk::sqlite {

/// A process that nobody can write beside.
struct lock_holder {
    pid_t pid = 0;
    std::string program{};
    bool is_stopped = false;  ///< by a signal or a debugger: it goes on when it is told to
};

namespace detail {

/// Where SQLite locks the one who writes: in the index of the write-ahead log, or without one in the
/// database itself (its file format is fixed).
inline constexpr std::uint64_t log_write_lock = 120;
inline constexpr std::uint64_t reserved_lock = 0x4000'0001;

[[nodiscard]] inline std::optional<std::uint64_t> inode_of(const std::string& path) {
    struct stat now{};
    if (::stat(path.c_str(), &now) != 0) return std::nullopt;
    return std::uint64_t{now.st_ino};
}

/// Who has locked that byte of a file, by a line of /proc/locks such as
/// `7: POSIX  ADVISORY  WRITE 4711 fd:01:131090 120 120`.
[[nodiscard]] inline std::optional<pid_t> holder_in(const std::string& line, std::uint64_t inode,
                                                    std::uint64_t byte) {
    std::istringstream words{line};
    std::string number, kind, strength, access, place, first, last;
    pid_t pid = 0;
    if (!(words >> number >> kind >> strength >> access >> pid >> place >> first >> last))
        return std::nullopt;  // also who waits: `7: -> POSIX …`
    if (access != "WRITE" || place.substr(place.rfind(':') + 1) != std::to_string(inode))
        return std::nullopt;
    const auto begin = std::stoull(first);
    if (byte < begin || (last != "EOF" && byte > std::stoull(last))) return std::nullopt;
    return pid;
}

}  // namespace detail

/// Who writes a database at the moment, as far as the system tells. Nothing of the database is opened: to
/// close a file gives up the locks that SQLite has on it.
[[nodiscard]] inline std::optional<lock_holder> write_lock_holder(const std::string& path) {
    const auto log = detail::inode_of(path + "-shm"), file = detail::inode_of(path);
    std::ifstream locks{"/proc/locks"};
    for (std::string line; std::getline(locks, line);) {
        auto pid = log ? detail::holder_in(line, *log, detail::log_write_lock) : std::nullopt;
        if (!pid && file) pid = detail::holder_in(line, *file, detail::reserved_lock);
        if (!pid || *pid <= 0) continue;  // of another container: it has no number here
        lock_holder found{.pid = *pid};
        std::ifstream name{concat("/proc/", *pid, "/comm")};
        std::getline(name, found.program);
        std::ifstream about{concat("/proc/", *pid, "/stat")};
        std::string status;
        std::getline(about, status);
        const auto state = status.rfind(") ");  // behind the name, which may hold anything
        found.is_stopped = state != std::string::npos && status.size() > state + 2 &&
                           std::string_view{"Tt"}.contains(status[state + 2]);
        return found;
    }
    return std::nullopt;
}

/// What to say of it; empty when nobody is known.
[[nodiscard]] inline std::string text_of(const std::optional<lock_holder>& holder) {
    if (!holder) return {};
    if (holder->pid == ::getpid()) return "; this process itself is writing";
    std::string text =
        concat("; process ", holder->pid, " on this host ('", holder->program, "') is writing");
    if (holder->is_stopped)
        text += concat(", and is stopped: resume it with `kill -CONT ", holder->pid,
                       "`, or end it with `kill -KILL ", holder->pid, '`');
    return text;
}

}  // namespace bulk::sqlite
