// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/lock_holder.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/read_stop.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/transaction_watch.hpp>

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
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
        // As uploads are: it holds what is in them. SQLite gives its -wal and -shm the same mode. Made
        // without being opened: to close a file takes away the locks that this process has on it.
        (void)::mknod(path.c_str(), S_IFREG | 0640, 0);
        auto made = std::make_shared<database>(std::move(path), std::move(options));
        if (auto ready = made->prepare(steps); !ready) return std::unexpected{ready.error()};
        return made;
    }

    database(std::string path, sqlite_options options)
        : path_{std::move(path)},
          options_{std::move(options)},
          watch_{options_.transaction_timeout} {}
    database(const database&) = delete;
    ~database() {  // who writes goes last, and takes the -wal file along
        readers_.clear();
        watch_.close();
        step_writer_.reset();
    }

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

    /// `look` at one state of the database, whatever is written meanwhile; no longer than the limit of
    /// this thread's reads allows.
    template <typename Look>
    [[nodiscard]] auto read(std::string_view doing, Look look)
        -> std::invoke_result_t<Look, session&> {
        for (int round = 0;; ++round) {
            if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
            if (auto same = check_file(doing); !same) return std::unexpected{same.error()};
            const auto before = is_read_as_it_is_ ? state_of(path_) : std::nullopt;
            auto reader = take_reader();
            if (!reader) return std::unexpected{reader.error()};
            std::optional<std::invoke_result_t<Look, session&>> found;
            std::optional<error> failure, stopped;
            {
                const read_stop stop{**reader};
                session view{**reader, doing};
                view.execute("BEGIN");
                found.emplace(look(view));
                view.execute("COMMIT");
                failure = view.failure();
                if (failure) stopped = stop.reason();
            }
            if (stopped) {
                session ending{**reader, doing};
                if ((*reader)->is_in_transaction()) ending.execute("ROLLBACK");
                if (!ending.failure()) give_back(std::move(*reader));
                return std::unexpected{std::move(*stopped)};
            }
            if ((*reader)->how() == opening::as_it_is && (has_log() || state_of(path_) != before)) {
                is_read_as_it_is_ = false;  // somebody can write it now, and has: look once more
                if (round < most_rounds) continue;
                return fail(errc::unavailable, concat("database '", path_, "', ", doing,
                                                      ": it changes all the time: try again"));
            }
            if (failure && round < most_rounds && is_unwritable(**reader) && !has_log()) {
                is_read_as_it_is_ = true;  // whoever could write it has gone
                continue;
            }
            if (failure) return std::unexpected{std::move(*failure)};  // the reader is dropped
            give_back(std::move(*reader));
            return std::move(*found);
        }
    }

    /// For a transaction that a step shares: the thread has it until it gives the lock back.
    using writer_lock = std::unique_lock<std::recursive_timed_mutex>;

    [[nodiscard]] result<writer_lock> begin(std::string_view doing) {
        writer_lock lock{mutex_, options_.busy_timeout};
        if (auto ready = ready_to_write(lock, doing); !ready) return std::unexpected{ready.error()};
        if (depth_ > 0)
            return fail(errc::conflict, concat("database '", path_,
                                               "': this thread has a transaction open already"));
        if (auto begun = begin_for_step(doing); !begun) return std::unexpected{begun.error()};
        ++depth_;
        writer_->guard(true);
        return lock;
    }

    /// Whether what `begin` began was undone since: it took too long.
    [[nodiscard]] bool is_late() { return watch_.is_late(); }
    /// Why, for the record of a row: clients read it, so it does not name the file.
    [[nodiscard]] error late_transaction() const {
        return {errc::timed_out,
                concat("the step's transaction was open for longer than ",
                       options_.transaction_timeout.count(),
                       " ms (transaction_timeout), during which nothing else could write, and was "
                       "rolled back: do slow work before the first write")};
    }

    [[nodiscard]] connection& writer() { return *writer_; }

    /// Ends what `begin` began. Whatever it answers, the transaction is over.
    [[nodiscard]] result<> end(std::string_view doing, bool keep) {
        --depth_;
        const bool was_late = watch_.end();
        writer_->guard(false);
        session closing{*writer_, doing};
        if (was_late)
            closing.note(late_transaction());
        else if (!writer_->is_in_transaction())
            closing.note({errc::unavailable,
                          concat("database '", path_, "', ", doing,
                                 ": the transaction was ended before, by a failure or by SQL of "
                                 "the step; nothing of it is kept")});
        else if (keep)
            closing.execute("COMMIT");
        if (!keep || closing.failure()) roll_back();
        std::swap(writer_, step_writer_);
        if (closing.failure()) return std::unexpected{*closing.failure()};
        return {};
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    /// Whether the last change failed for want of space.
    [[nodiscard]] bool is_full() const { return was_full_ || is_disk_full(path_); }

private:
    /// What a clock can still add to the time that it is.
    static constexpr std::chrono::milliseconds longest_wait = std::chrono::hours{24 * 20};

    /// More threads than this may read at once; later ones open a connection each time.
    static constexpr std::size_t most_idle_readers = 4;

    /// How often one reading is begun anew because others began or ceased to write.
    static constexpr int most_rounds = 3;

    /// Nothing is written if the database is of this version already: whoever only reads waits for
    /// nobody, and needs no disk that can be written.
    [[nodiscard]] result<> prepare(std::span<const migration> steps) {
        auto opened = connection::open(path_, options_);
        if (!opened)
            return fail(errc::invalid_argument, opened.error().message);  // it cannot be a file
        identity_ = identity_of(path_);
        const auto known = static_cast<std::int64_t>(steps.size());
        auto version = look_at(**opened, known);
        if (!version && is_unwritable(**opened) && !has_log()) {
            if (auto again = connection::open(path_, options_, opening::as_it_is))
                if (auto found = look_at(**again, known); found && *found == known) {
                    is_read_as_it_is_ = true;
                    return {};  // whoever writes opens it anew, and is told why that cannot be
                }
        }
        if (!version && (sqlite3_errcode((*opened)->handle()) & 0xff) == SQLITE_NOTADB)
            return fail(errc::invalid_argument, version.error().message);
        if (!version) return std::unexpected{version.error()};
        writer_ = std::move(*opened);
        if (auto ready = configure(*writer_); !ready) return ready;
        if (*version == known) return {};
        return write("bringing it to the newest version",
                     [&](session& change) { return migrate(change, steps); });
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

    /// A file that was deleted or replaced takes what is written and shows it to nobody.
    [[nodiscard]] result<> check_file(std::string_view doing) const {
        if (!identity_ || identity_of(path_) == identity_) return {};
        return fail(errc::storage_lost,
                    concat("database '", path_, "', ", doing,
                           ": the file was deleted or replaced while this process had it open; "
                           "nothing that is done from now on would be recorded: stop this process, "
                           "put the right file back, and start it again"));
    }

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

    [[nodiscard]] result<std::unique_ptr<connection>> open_configured(
        opening how = opening::normal) const {
        auto made = connection::open(path_, options_, how);
        if (!made) return made;
        if (auto ready = configure(**made); !ready)  // it was usable: no caller can change that
            return fail(errc::unavailable, ready.error().message);
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
        if (has_log()) is_read_as_it_is_ = false;
        return open_configured(is_read_as_it_is_ ? opening::as_it_is : opening::normal);
    }

    void give_back(std::unique_ptr<connection> reader) {
        const std::scoped_lock lock{readers_mutex_};
        if (readers_.size() < most_idle_readers && reader->how() == opening::normal)
            readers_.push_back(std::move(reader));
    }

    [[nodiscard]] result<> ready_to_write(const writer_lock& lock, std::string_view doing) {
        if (!lock.owns_lock())
            return fail(errc::unavailable,
                        concat("database '", path_, "', ", doing,
                               ": another thread of this process has had its transaction open for "
                               "longer than busy_timeout: try again"));
        if (depth_ == 0)
            if (auto same = check_file(doing); !same) return same;
        if (writer_ != nullptr) return {};
        auto opened = open_configured();
        if (!opened) return std::unexpected{opened.error()};
        writer_ = std::move(*opened);
        return {};
    }

    /// A step's transaction has a connection of its own, which the watch shares: it is `writer_` until
    /// the transaction ends.
    [[nodiscard]] result<> begin_for_step(std::string_view doing) {
        if (step_writer_ == nullptr) {
            auto opened = open_configured(opening::shared);
            if (!opened) return std::unexpected{opened.error()};
            step_writer_ = std::move(*opened);
        }
        std::swap(writer_, step_writer_);
        session starting{*writer_, doing};
        starting.execute("BEGIN IMMEDIATE");
        auto failed = starting.failure();
        if (failed)
            failed = explained(std::move(*failed));
        else if (auto watched = watch_.begin(writer_->handle()); !watched)
            failed = watched.error();
        if (!failed) return {};
        roll_back();
        std::swap(writer_, step_writer_);
        return std::unexpected{std::move(*failed)};
    }

    /// Also who is in the way, if that is why.
    [[nodiscard]] error explained(error why) {
        if ((sqlite3_errcode(writer_->handle()) & 0xff) != SQLITE_BUSY) return why;
        const auto holder = write_lock_holder(path_);
        why.message += text_of(holder);
        if (!holder || holder->pid == ::getpid()) return why;
        const auto seen =
            read("looking for who writes", [&](session& look) -> result<std::optional<timestamp>> {
                std::optional<timestamp> last;
                auto row = look.rows("SELECT max(seen_at) FROM bulk_workers WHERE pid = ?1",
                                     static_cast<std::int64_t>(holder->pid));
                if (row.next()) row.read(last);
                return last;
            });
        if (seen && *seen)
            why.message += concat("; as a worker it was last seen ",
                                  std::chrono::duration_cast<std::chrono::seconds>(
                                      std::chrono::system_clock::now() - **seen)
                                      .count(),
                                  " s ago");
        return why;
    }

    template <typename Change>
    [[nodiscard]] auto write_whole(std::string_view doing, Change& change)
        -> std::invoke_result_t<Change, session&> {
        session writing{*writer_, doing};
        writing.execute("BEGIN IMMEDIATE");
        if (writing.failure()) {
            was_full_ = (sqlite3_errcode(writer_->handle()) & 0xff) == SQLITE_FULL;
            return std::unexpected{explained(*writing.failure())};
        }
        ++depth_;
        auto done = change(writing);
        --depth_;
        if (done) writing.execute("COMMIT");
        was_full_ = writing.failure() && (sqlite3_errcode(writer_->handle()) & 0xff) == SQLITE_FULL;
        if (!done || writing.failure()) roll_back();
        if (was_full_) empty_log();
        if (writing.failure()) return std::unexpected{*writing.failure()};
        return done;
    }

    /// On a full disk: what the log holds is copied into the file, so that the next change overwrites the log
    /// and needs no more space. Waits for nobody; where it fails, nothing is lost.
    void empty_log() {
        if (writer_ == nullptr) return;
        session emptying{*writer_, "emptying the write-ahead log"};
        auto row = emptying.rows("PRAGMA wal_checkpoint(PASSIVE)");
        (void)row.next();
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
        if (undoing.failure() && depth_ == 0) {
            watch_.close();
            writer_.reset();
        }
    }

    std::string path_;
    sqlite_options options_;
    std::optional<file_identity> identity_;       ///< of the file that was opened
    std::atomic<bool> is_read_as_it_is_ = false;  ///< nobody can write it, nor files beside it
    std::atomic<bool> was_full_ = false;

    std::recursive_timed_mutex mutex_;
    std::unique_ptr<connection> writer_;       ///< with the lock; none: it has to be opened anew
    std::unique_ptr<connection> step_writer_;  ///< for steps; changes places with the other
    transaction_watch watch_;                  ///< of the transaction that a step has open
    int depth_ = 0;                            ///< transactions that this thread has open

    std::mutex readers_mutex_;
    std::vector<std::unique_ptr<connection>> readers_;
};

}  // namespace bulk::sqlite
