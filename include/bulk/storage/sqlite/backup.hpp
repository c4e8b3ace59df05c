// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bulk::sqlite {

namespace detail {

[[nodiscard]] inline std::unexpected<error> failed_step(std::string_view what,
                                                        std::string_view path) {
    const int code = errno;
    return fail(errc::unavailable,
                concat("cannot ", what, " '", path, "': ", std::generic_category().message(code)));
}

/// A descriptor that is closed at the end.
class open_file {
public:
    open_file(const std::string& path, int flags)
        : descriptor_{::open(path.c_str(), flags | O_CLOEXEC)} {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// What was written there survives the loss of power.
[[nodiscard]] inline result<> sync_path(const std::string& path) {
    const open_file file{path, O_RDONLY};
    if (!file.is_open() || ::fsync(file.descriptor()) != 0) return failed_step("write", path);
    return {};
}

/// A file that is removed at the end unless it was given its place.
class unfinished_file {
public:
    explicit unfinished_file(std::string path) : path_{std::move(path)} {}
    unfinished_file(const unfinished_file&) = delete;
    unfinished_file& operator=(const unfinished_file&) = delete;
    ~unfinished_file() { ::unlink(path_.c_str()); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

[[nodiscard]] inline std::string unfinished_name(std::string_view path, std::string_view why) {
    return concat(path, '.', why, '-', ::getpid());
}

/// Writes all that a database has, its log included, to a new file. Pages are read and written anew:
/// damage is found.
[[nodiscard]] inline result<> copy_database(const std::string& from, const std::string& to) {
    struct stat about{};
    if (::stat(from.c_str(), &about) != 0) return failed_step("read", from);
    auto opened = connection::open(from, {});
    if (!opened) return std::unexpected{opened.error()};
    const auto known = static_cast<std::int64_t>(migrations.size());
    const auto copy = [&](connection& made) -> result<> {
        session look{made, "copying it"};
        const auto version = version_of(look, known);
        if (!version) return std::unexpected{version.error()};
        if (*version == 0)
            return fail(errc::invalid_argument,
                        concat("database '", from, "' is empty: name a database of this program"));
        look.execute("VACUUM INTO ?1", to);
        if (look.failure()) return std::unexpected{*look.failure()};
        return {};
    };
    auto copied = copy(**opened);
    const auto log = state_of(from + "-wal");
    if (!copied && copied.error().code == errc::unavailable && (!log || log->size == 0) &&
        !obstacle_to_writing(from).empty()) {
        ::unlink(to.c_str());  // maybe no file can be made beside it: then nobody changes it either
        if (auto again = connection::open(from, {}, opening::as_it_is))
            if (copy(**again)) copied = {};
    }
    if (!copied) return copied;
    (void)::chmod(to.c_str(), about.st_mode & 0777);
    return sync_path(to);
}

/// The lock that SQLite has on a file while it is open: bytes that it never stores anything in.
inline constexpr off_t lock_start = 0x40000000;
inline constexpr off_t lock_length = 512;

/// Locks a database against all others, or says who has it open.
[[nodiscard]] inline result<> lock_alone(const open_file& file, const std::string& path) {
    struct flock wanted{};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = lock_start;
    wanted.l_len = lock_length;
    struct flock found = wanted;
    if (::fcntl(file.descriptor(), F_SETLK, &wanted) == 0) return {};
    const bool is_known = ::fcntl(file.descriptor(), F_GETLK, &found) == 0 &&
                          found.l_type != F_UNLCK && found.l_pid > 0;
    return fail(errc::conflict,
                concat("database '", path, "' is open in ",
                       is_known ? concat("process ", found.l_pid) : std::string{"another process"},
                       ": stop every worker, server and shell that uses it, then restore again"));
}

/// Puts the log of a database where it belongs, if it can be: what is set aside then is one file.
inline void settle(const std::string& path) {
    if (auto opened = connection::open(path, {})) {
        session settling{**opened, "writing back its log"};
        settling.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

}  // namespace detail

/// Copies a database to a new file, whole and at one moment, whoever uses it meanwhile. Uploads are
/// not part of it.
[[nodiscard]] inline result<> backup(const std::string& path, const std::string& copy) {
    if (state_of(copy))
        return fail(errc::invalid_argument,
                    concat("'", copy, "' exists: name a file that does not exist yet"));
    const detail::unfinished_file part{detail::unfinished_name(copy, "part")};
    ::unlink(part.path().c_str());
    if (auto copied = detail::copy_database(path, part.path()); !copied) return copied;
    // Never over a file that has come meanwhile; not every file system has links.
    if (::link(part.path().c_str(), copy.c_str()) != 0 &&
        (errno == EEXIST || ::rename(part.path().c_str(), copy.c_str()) != 0))
        return detail::failed_step("create", copy);
    return detail::sync_path(directory_of(copy));
}

/// Puts a copy in the place of a database that no other process has open; fails with `conflict` if one
/// has. What was there before is set aside: the name of that file, or nothing if there was none. Not
/// for a process that has the database open itself.
[[nodiscard]] inline result<std::string> restore(const std::string& copy, const std::string& path) {
    if (const auto one = identity_of(copy); one && one == identity_of(path))
        return fail(errc::invalid_argument,
                    concat("'", copy, "' is the database itself: name a copy of it"));
    const detail::unfinished_file part{detail::unfinished_name(path, "restore")};
    ::unlink(part.path().c_str());
    const bool is_replaced = state_of(path).has_value();
    const auto lock = [&](const detail::open_file& file) -> result<> {
        if (!is_replaced) return {};
        if (!file.is_open()) return detail::failed_step("open", path);
        return detail::lock_alone(file, path);
    };
    {
        // Before anything is copied, which may take long; and let go, as SQLite has to open it.
        const detail::open_file file{path, O_RDWR};
        if (auto alone = lock(file); !alone) return std::unexpected{alone.error()};
    }
    if (auto copied = detail::copy_database(copy, part.path()); !copied)
        return std::unexpected{copied.error()};
    if (is_replaced) detail::settle(path);
    const detail::open_file file{path, O_RDWR};
    if (auto alone = lock(file); !alone) return std::unexpected{alone.error()};
    // A log that is left belongs to the file that it was written for, and makes another one malformed.
    const std::string log = path + "-wal", index = path + "-shm";
    std::string before;
    if (is_replaced) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        before = concat(path, ".before-restore-",
                        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
        const bool has_log = state_of(log).has_value();
        const bool is_linked = !has_log && ::link(path.c_str(), before.c_str()) == 0;
        if (!is_linked && ::rename(path.c_str(), before.c_str()) != 0)
            return detail::failed_step("set aside", path);
        if (has_log && ::rename(log.c_str(), (before + "-wal").c_str()) != 0)
            return detail::failed_step("set aside", log);
    } else {
        ::unlink(log.c_str());
    }
    ::unlink(index.c_str());
    if (::rename(part.path().c_str(), path.c_str()) != 0)
        return detail::failed_step("create", path);
    if (auto synced = detail::sync_path(directory_of(path)); !synced)
        return std::unexpected{synced.error()};
    return before;
}

}  // namespace bulk::sqlite
