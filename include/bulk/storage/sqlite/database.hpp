// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// One database file: one connection that writes, for one thread after the other, and some that read
/// beside it and never wait for it. Every use is a transaction.
class database {
public:
    [[nodiscard]] static result<std::shared_ptr<database>> open(
        std::string path, sqlite_options options, std::span<const migration> steps = migrations) {
        if (is_blank(path))
            return fail(errc::invalid_argument, "the path of the database is blank: name a file");
        if (auto valid = validate(options); !valid) return std::unexpected{valid.error()};
        std::error_code code;
        auto absolute = std::filesystem::absolute(path, code);  // the program may change directory
        if (!code) path = absolute.lexically_normal().string();
        options.busy_timeout = std::min(options.busy_timeout, longest_wait);
        auto made = std::make_shared<database>(std::move(path), std::move(options));
        if (auto ready = made->prepare(steps); !ready) return std::unexpected{ready.error()};
        return made;
    }

    database(std::string path, sqlite_options options)
        : path_{std::move(path)}, options_{std::move(options)} {}
    database(const database&) = delete;
    ~database() { readers_.clear(); }  // who writes goes last, and takes the -wal file along

    /// `change` in a transaction of its own, or in the one that this thread has open: written whole,
    /// or, when anything fails, not at all. `doing` is for the message.
    template <typename Change>
    [[nodiscard]] auto write(std::string_view doing, Change change)
        -> std::invoke_result_t<Change, session&> {
        std::unique_lock lock{mutex_, options_.busy_timeout};
        if (auto ready = ready_to_write(lock, doing); !ready) return std::unexpected{ready.error()};
        const bool was_guarded = writer_->guard(false);
        const bool is_inner = depth_ > 0;
        auto done = is_inner ? write_within(doing, change) : write_whole(doing, change);
        if (writer_ != nullptr) writer_->guard(was_guarded);
        return done;
    }

    /// `look` at one state of the database, whatever is written meanwhile.
    template <typename Look>
    [[nodiscard]] auto read(std::string_view doing, Look look)
        -> std::invoke_result_t<Look, session&> {
        auto reader = take_reader();
        if (!reader) return std::unexpected{reader.error()};
        session view{**reader, doing};
        view.execute("BEGIN");
        auto found = look(view);
        view.execute("COMMIT");
        if (view.failure()) return std::unexpected{*view.failure()};  // and the reader is dropped
        const std::scoped_lock lock{readers_mutex_};
        if (readers_.size() < most_idle_readers) readers_.push_back(std::move(*reader));
        return found;
    }

    /// For a transaction that a step shares: the thread has it until it gives the lock back.
    using writer_lock = std::unique_lock<std::recursive_timed_mutex>;

    [[nodiscard]] result<writer_lock> begin(std::string_view doing) {
        writer_lock lock{mutex_, options_.busy_timeout};
        if (auto ready = ready_to_write(lock, doing); !ready) return std::unexpected{ready.error()};
        if (depth_ > 0)
            return fail(errc::conflict, concat("database '", path_,
                                               "': this thread has a transaction open already"));
        session opening{*writer_, doing};
        opening.execute("BEGIN IMMEDIATE");
        if (opening.failure()) return std::unexpected{*opening.failure()};
        ++depth_;
        writer_->guard(true);
        return lock;
    }

    [[nodiscard]] connection& writer() { return *writer_; }

    /// Ends what `begin` began. Whatever it answers, the transaction is over.
    [[nodiscard]] result<> end(std::string_view doing, bool keep) {
        --depth_;
        writer_->guard(false);
        session closing{*writer_, doing};
        if (!writer_->is_in_transaction())
            closing.note({errc::unavailable,
                          concat("database '", path_, "', ", doing,
                                 ": the transaction was ended before, by a failure or by SQL of "
                                 "the step; nothing of it is kept")});
        else if (keep)
            closing.execute("COMMIT");
        if (!keep || closing.failure()) roll_back();
        if (closing.failure()) return std::unexpected{*closing.failure()};
        return {};
    }

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    /// What a clock can still add to the time that it is.
    static constexpr std::chrono::milliseconds longest_wait = std::chrono::hours{24 * 20};

    /// More threads than this may read at once; later ones open a connection each time.
    static constexpr std::size_t most_idle_readers = 4;

    [[nodiscard]] result<> prepare(std::span<const migration> steps) {
        auto opened = connection::open(path_, options_);
        if (!opened)
            return fail(errc::invalid_argument, opened.error().message);  // it cannot be a file
        writer_ = std::move(*opened);
        {
            // Looked at before anything is changed: it may be another program's, or no database.
            // All at one moment: somebody else may be making it one of ours.
            session look{*writer_, "reading its header"};
            look.execute("BEGIN");
            auto ours = check_identity(look, static_cast<std::int64_t>(steps.size()));
            if (!ours && (sqlite3_errcode(writer_->handle()) & 0xff) == SQLITE_NOTADB)
                return fail(errc::invalid_argument, ours.error().message);
            if (!ours) return ours;
            look.execute("COMMIT");
            if (look.failure()) return std::unexpected{*look.failure()};
        }
        if (auto ready = configure(*writer_); !ready) return ready;
        return write("bringing it to the newest version",
                     [&](session& change) { return migrate(change, steps); });
    }

    [[nodiscard]] result<> configure(connection& made) const {
        const auto mode = keep_log(made);
        if (!mode) return std::unexpected{mode.error()};
        session setting{made, "setting it up"};
        if (*mode != "wal")
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

    [[nodiscard]] result<std::unique_ptr<connection>> open_configured() const {
        auto made = connection::open(path_, options_);
        if (!made) return made;
        if (auto ready = configure(**made); !ready) return std::unexpected{ready.error()};
        return made;
    }

    [[nodiscard]] result<std::unique_ptr<connection>> take_reader() {
        {
            const std::scoped_lock lock{readers_mutex_};
            if (!readers_.empty()) {
                auto reader = std::move(readers_.back());
                readers_.pop_back();
                return reader;
            }
        }
        return open_configured();
    }

    [[nodiscard]] result<> ready_to_write(const writer_lock& lock, std::string_view doing) {
        if (!lock.owns_lock())
            return fail(errc::unavailable,
                        concat("database '", path_, "', ", doing,
                               ": another thread of this process has had its transaction open for "
                               "longer than busy_timeout: try again"));
        if (writer_ != nullptr) return {};
        auto opened = open_configured();
        if (!opened) return std::unexpected{opened.error()};
        writer_ = std::move(*opened);
        return {};
    }

    template <typename Change>
    [[nodiscard]] auto write_whole(std::string_view doing, Change& change)
        -> std::invoke_result_t<Change, session&> {
        session writing{*writer_, doing};
        writing.execute("BEGIN IMMEDIATE");
        ++depth_;
        auto done = change(writing);
        --depth_;
        if (done) writing.execute("COMMIT");
        if (!done || writing.failure()) roll_back();
        if (writing.failure()) return std::unexpected{*writing.failure()};
        return done;
    }

    template <typename Change>
    [[nodiscard]] auto write_within(std::string_view doing, Change& change)
        -> std::invoke_result_t<Change, session&> {
        session writing{*writer_, doing};
        if (!writer_->is_in_transaction())
            writing.note(
                {errc::unavailable, concat("database '", path_, "', ", doing,
                                           ": the transaction around it was ended before")});
        writing.execute("SAVEPOINT bulk_inner");
        ++depth_;
        auto done = change(writing);
        --depth_;
        if (done) writing.execute("RELEASE bulk_inner");
        if ((!done || writing.failure()) && writer_->is_in_transaction()) {
            session undoing{*writer_, doing};
            undoing.execute("ROLLBACK TO bulk_inner");
            undoing.execute("RELEASE bulk_inner");
            if (undoing.failure()) roll_back();  // the transaction around it sees that it is gone
        }
        if (writing.failure()) return std::unexpected{*writing.failure()};
        return done;
    }

    /// A connection that cannot even do that is given up; the next one who writes opens another.
    void roll_back() {
        if (!writer_->is_in_transaction()) return;
        session undoing{*writer_, "undoing a change"};
        undoing.execute("ROLLBACK");
        if (undoing.failure() && depth_ == 0) writer_.reset();
    }

    std::string path_;
    sqlite_options options_;

    std::recursive_timed_mutex mutex_;
    std::unique_ptr<connection> writer_;  ///< with the lock; none: it has to be opened anew
    int depth_ = 0;                       ///< transactions that this thread has open

    std::mutex readers_mutex_;
    std::vector<std::unique_ptr<connection>> readers_;
};

}  // namespace bulk::sqlite
