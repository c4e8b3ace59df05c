// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <sqlite3.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

namespace bulk::sqlite {

/// Undoes what a step has written when it keeps its transaction open for too long: until it ends nobody
/// else can write the file, in any process. What the step writes after that is in another transaction,
/// which is never committed.
///
/// The connection is used by a thread of the watch then, so SQLite must guard it by a mutex
/// (`SQLITE_OPEN_FULLMUTEX`).
class transaction_watch {
public:
    explicit transaction_watch(std::chrono::milliseconds timeout) : timeout_{timeout} {}
    transaction_watch(const transaction_watch&) = delete;
    transaction_watch& operator=(const transaction_watch&) = delete;

    /// A transaction was begun. `used` stays the same until `close`.
    [[nodiscard]] result<> begin(sqlite3* used) {
        if (auto ready = prepare(used); !ready) return ready;
        const std::scoped_lock lock{mutex_};
        is_late_ = false;
        due_ = std::chrono::steady_clock::now() + timeout_;
        changed_.notify_one();
        return {};
    }

    /// Whether it was undone.
    [[nodiscard]] bool is_late() {
        const std::scoped_lock lock{mutex_};
        return is_late_;
    }

    /// The transaction is about to end: from now on it is left alone. Whether it was undone.
    bool end() {
        const std::scoped_lock lock{mutex_};
        due_.reset();
        return is_late_;
    }

    /// Before the connection is closed.
    void close() {
        const std::scoped_lock lock{mutex_};
        due_.reset();
        undo_.reset();
        begin_.reset();
        used_ = nullptr;
    }

private:
    struct finalize {
        void operator()(sqlite3_stmt* made) const { sqlite3_finalize(made); }
    };
    using prepared = std::unique_ptr<sqlite3_stmt, finalize>;

    /// Both statements are made before a step has the connection: it may not end transactions.
    [[nodiscard]] result<> prepare(sqlite3* used) {
        const std::scoped_lock lock{mutex_};
        if (used_ != used) {
            undo_ = made(used, "ROLLBACK");
            begin_ = made(used, "BEGIN");
            used_ = used;
        }
        if (thread_.joinable()) return {};
        try {
            thread_ = std::jthread{[this](const std::stop_token& stop) { watch(stop); }};
        } catch (const std::system_error& why) {
            return fail(errc::unavailable,
                        concat("cannot start a thread that watches a step's transaction: ",
                               why.code().message()));
        }
        return {};
    }

    [[nodiscard]] static prepared made(sqlite3* used, const char* sql) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v3(used, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        return prepared{statement};
    }

    static void run(const prepared& statement) {
        if (statement == nullptr) return;
        sqlite3_step(statement.get());
        sqlite3_reset(statement.get());
    }

    void watch(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        while (!stop.stop_requested()) {
            if (!due_) {
                changed_.wait(lock, stop, [&] { return due_.has_value(); });
            } else if (std::chrono::steady_clock::now() < *due_) {
                const auto due = *due_;  // it is read without the lock
                changed_.wait_until(lock, stop, due, [&] { return due_ != due; });
            } else {
                is_late_ = true;
                sqlite3_interrupt(used_);
                run(undo_);
                run(begin_);  // or what the step writes next would be kept
                due_ = std::chrono::steady_clock::now() + timeout_;
            }
        }
    }

    std::chrono::milliseconds timeout_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    sqlite3* used_ = nullptr;
    prepared undo_, begin_;
    std::optional<std::chrono::steady_clock::time_point> due_;  ///< none: no transaction is open
    bool is_late_ = false;
    std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace bulk::sqlite
