// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk::sqlite {

/// A database as a file: opens connections to it, and notices when another file has taken its place.
class database_file {
public:
    /// Makes an empty file if there is none.
    [[nodiscard]] static result<database_file> at(std::string path, sqlite_options options) {
        if (is_blank(path))
            return fail(errc::invalid_argument, "the path of the database is blank: name a file");
        if (auto valid = validate(options); !valid) return std::unexpected{valid.error()};
        std::error_code code;
        auto absolute = std::filesystem::absolute(path, code);  // the program may change directory
        if (!code) path = absolute.lexically_normal().string();
        options.busy_timeout = std::min(options.busy_timeout, longest_wait);
        // As uploads are: it holds what is in them. SQLite gives its -wal and -shm the same mode. Made
        // without being opened: to close a file takes away the locks that this process has on it.
        (void)::mknod(path.c_str(), S_IFREG | 0640, 0);
        return database_file{std::move(path), std::move(options)};
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const sqlite_options& options() const { return options_; }

    /// The file that is there now is the one that `check` compares with.
    void remember() { identity_ = identity_of(path_); }

    /// A file that was deleted or replaced takes what is written and shows it to nobody.
    [[nodiscard]] result<> check(std::string_view doing) const {
        if (!identity_ || identity_of(path_) == identity_) return {};
        return fail(errc::storage_lost,
                    concat("database '", path_, "', ", doing,
                           ": the file was deleted or replaced while this process had it open; "
                           "nothing that is done from now on would be recorded: stop this process, "
                           "put the right file back, and start it again"));
    }

    /// A connection, ready to be used.
    [[nodiscard]] result<std::unique_ptr<connection>> open(opening how = opening::normal) const {
        auto made = connection::open(path_, options_, how);
        if (!made) return made;
        if (auto ready = configure(**made); !ready)  // it was usable: no caller can change that
            return fail(errc::unavailable, ready.error().message);
        return made;
    }

    /// Sets what every connection needs; one that may write keeps a write-ahead log.
    [[nodiscard]] result<> configure(connection& made) const {
        const bool keeps_mode = made.is_read_only();
        const auto mode = keeps_mode ? result<std::string>{} : keep_log(made);
        if (!mode) return std::unexpected{mode.error()};
        session setting{made, "setting it up"};
        if (!keeps_mode && *mode != "wal")
            setting.note(
                {errc::invalid_argument, concat("database '", path_,
                                                "' cannot keep a write-ahead log (its journal "
                                                "mode is ",
                                                *mode, "): put it on a local disk")});
        setting.execute(options_.durability == durability::full ? "PRAGMA synchronous = FULL"
                                                                : "PRAGMA synchronous = NORMAL");
        setting.execute(concat("PRAGMA cache_size = -", options_.cache_kib));
        setting.execute("PRAGMA journal_size_limit = 33554432");
        setting.execute("PRAGMA wal_autocheckpoint = 4000");
        setting.execute("PRAGMA temp_store = MEMORY");
        if (setting.failure()) return std::unexpected{*setting.failure()};
        return {};
    }

    /// The version. Looked at before anything is changed: it may be another program's, or no database.
    /// All at one moment: somebody else may be making it one of ours.
    [[nodiscard]] static result<std::int64_t> look_at(connection& made, std::int64_t known) {
        session look{made, "reading its header"};
        look.execute("BEGIN");
        auto version = version_of(look, known);
        if (!version) return version;
        look.execute("COMMIT");
        if (look.failure()) return std::unexpected{*look.failure()};
        return version;
    }

    /// Whether what went wrong last is that no file can be made beside the database.
    [[nodiscard]] bool is_unwritable(const connection& made) const {
        const int kind = sqlite3_errcode(made.handle()) & 0xff;
        const bool may_be = kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY ||
                            kind == SQLITE_IOERR || kind == SQLITE_FULL;
        return may_be && !obstacle_to_writing(path_).empty();
    }

    /// Whether the write-ahead log has something that the file has not.
    [[nodiscard]] bool has_log() const {
        const auto log = state_of(path_ + "-wal");
        return log && log->size > 0;
    }

private:
    database_file(std::string path, sqlite_options options)
        : path_{std::move(path)}, options_{std::move(options)} {}

    /// What a clock can still add to the time that it is.
    static constexpr std::chrono::milliseconds longest_wait = std::chrono::hours{24 * 20};

    /// The journal mode that it has then. SQLite does not wait for others who write when it changes
    /// that: two who open a new file at once would be in each other's way.
    [[nodiscard]] result<std::string> keep_log(connection& made) const {
        const auto end =
            std::chrono::steady_clock::now() + std::min(options_.busy_timeout, longest_wait);
        while (true) {
            std::string mode;
            session setting{made, "setting it up"};
            {
                auto row = setting.rows("PRAGMA journal_mode = WAL");
                if (row.next()) row.read(mode);
            }
            if (!setting.failure()) return mode;
            const bool is_busy = (sqlite3_errcode(made.handle()) & 0xff) == SQLITE_BUSY;
            if (!is_busy || std::chrono::steady_clock::now() >= end)
                return std::unexpected{*setting.failure()};
            session waiting{made, "waiting for others who set it up"};
            waiting.execute("BEGIN IMMEDIATE");
            waiting.execute("ROLLBACK");
        }
    }

    std::string path_;
    sqlite_options options_;
    std::optional<file_identity> identity_;
};

}  // namespace bulk::sqlite
