// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/database_file.hpp>
#include <bulk/storage/sqlite/database_readers.hpp>
#include <bulk/storage/sqlite/lock_holder.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/transaction_watch.hpp>

#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::sqlite {

/// One database file: one connection that writes, for one thread after the other, and some that read
/// beside it and never wait for it. Every use is a transaction.
class database {
public:
    [[nodiscard]] static result<std::shared_ptr<database>> open(
        std::string path, sqlite_options options, std::span<const migration> steps = migrations) {
        auto file = database_file::at(std::move(path), std::move(options));
        if (!file) return std::unexpected{file.error()};
        auto made = std::make_shared<database>(std::move(*file));
        if (auto ready = made->prepare(steps); !ready) return std::unexpected{ready.error()};
        return made;
    }

    explicit database(database_file file)
        : file_{std::move(file)}, readers_{file_}, watch_{file_.options().transaction_timeout} {}
    database(const database&) = delete;
    ~database() {  // who writes goes last, and takes the -wal file along
        readers_.close();
        watch_.close();
        step_writer_.reset();
    }

    /// `change` in a transaction of its own, or in the one that this thread has open: written whole,
    /// or, when anything fails, not at all. `doing` is for the message.
    template <typename Change>
    [[nodiscard]] auto write(std::string_view doing, Change change)
        -> std::invoke_result_t<Change, session&> {
        std::unique_lock lock{mutex_, file_.options().busy_timeout};
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
        return readers_.read(doing, std::move(look));
    }

    /// For a transaction that a step shares: the thread has it until it gives the lock back.
    using writer_lock = std::unique_lock<std::recursive_timed_mutex>;

    [[nodiscard]] result<writer_lock> begin(std::string_view doing) {
        writer_lock lock{mutex_, file_.options().busy_timeout};
        if (auto ready = ready_to_write(lock, doing); !ready) return std::unexpected{ready.error()};
        if (depth_ > 0)
            return fail(errc::conflict, concat("database '", path(),
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
                       file_.options().transaction_timeout.count(),
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
                          concat("database '", path(), "', ", doing,
                                 ": the transaction was ended before, by a failure or by SQL of "
                                 "the step; nothing of it is kept")});
        else if (keep)
            closing.execute("COMMIT");
        if (!keep || closing.failure()) roll_back();
        std::swap(writer_, step_writer_);
        if (closing.failure()) return std::unexpected{*closing.failure()};
        return {};
    }

    [[nodiscard]] const std::string& path() const { return file_.path(); }
    /// Whether the last change failed for want of space.
    [[nodiscard]] bool is_full() const { return was_full_ || is_disk_full(path()); }

private:
    /// Nothing is written if the database is of this version already: whoever only reads waits for
    /// nobody, and needs no disk that can be written.
    [[nodiscard]] result<> prepare(std::span<const migration> steps) {
        auto opened = connection::open(path(), file_.options());
        if (!opened)
            return fail(errc::invalid_argument, opened.error().message);  // it cannot be a file
        file_.remember();
        const auto known = static_cast<std::int64_t>(steps.size());
        auto version = database_file::look_at(**opened, known);
        if (!version && file_.is_unwritable(**opened) && !file_.has_log()) {
            if (auto again = connection::open(path(), file_.options(), opening::as_it_is))
                if (auto found = database_file::look_at(**again, known); found && *found == known) {
                    readers_.read_as_it_is();
                    return {};  // whoever writes opens it anew, and is told why that cannot be
                }
        }
        if (!version && (sqlite3_errcode((*opened)->handle()) & 0xff) == SQLITE_NOTADB)
            return fail(errc::invalid_argument, version.error().message);
        if (!version) return std::unexpected{version.error()};
        writer_ = std::move(*opened);
        if (auto ready = file_.configure(*writer_); !ready) return ready;
        if (*version == known) return {};
        return write("bringing it to the newest version",
                     [&](session& change) { return migrate(change, steps); });
    }

    [[nodiscard]] result<> ready_to_write(const writer_lock& lock, std::string_view doing) {
        if (!lock.owns_lock())
            return fail(errc::unavailable,
                        concat("database '", path(), "', ", doing,
                               ": another thread of this process has had its transaction open for "
                               "longer than busy_timeout: try again"));
        if (depth_ == 0)
            if (auto same = file_.check(doing); !same) return same;
        if (writer_ != nullptr) return {};
        auto opened = file_.open();
        if (!opened) return std::unexpected{opened.error()};
        writer_ = std::move(*opened);
        return {};
    }

    /// A step's transaction has a connection of its own, which the watch shares: it is `writer_` until
    /// the transaction ends.
    [[nodiscard]] result<> begin_for_step(std::string_view doing) {
        if (step_writer_ == nullptr) {
            auto opened = file_.open(opening::shared);
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
        const auto holder = write_lock_holder(path());
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
                {errc::unavailable, concat("database '", path(), "', ", doing,
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

    database_file file_;
    database_readers readers_;
    std::atomic<bool> was_full_ = false;

    std::recursive_timed_mutex mutex_;
    std::unique_ptr<connection> writer_;       ///< with the lock; none: it has to be opened anew
    std::unique_ptr<connection> step_writer_;  ///< for steps; changes places with the other
    transaction_watch watch_;                  ///< of the transaction that a step has open
    int depth_ = 0;                            ///< transactions that this thread has open
};

}  // namespace bulk::sqlite
