// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/operation_life.hpp>
#include <bulk/storage/row_batch.hpp>
#include <bulk/storage/row_recording.hpp>
#include <bulk/storage/sqlite/all_tables.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/database.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace bulk::sqlite {

/// A transaction in which a step and the record of it are written together, or neither. Until it
/// ends nobody else writes, so it should be short; it is of the thread that began it, and what that
/// thread writes through the storage meanwhile is part of it. Undone unless it was committed.
class transaction {
public:
    /// Fails with `conflict` if the lease is not good any more.
    [[nodiscard]] static result<transaction> begin(std::shared_ptr<database> database,
                                                   const lease& held) {
        auto lock = database->begin("beginning a step's transaction");
        if (!lock) return std::unexpected{lock.error()};
        transaction made{std::move(database), std::move(*lock), held};
        auto owned = made.database_->write("beginning a step's transaction", [&](session& change) {
            all_tables in{change};
            return operation_life{in}.find_owned(held);
        });
        if (!owned) return std::unexpected{owned.error()};
        return made;
    }

    transaction(transaction&& other) noexcept = default;
    transaction& operator=(transaction&&) = delete;
    ~transaction() {
        if (lock_.owns_lock()) (void)database_->end("undoing a step's transaction", false);
    }

    /// For the step's own SQL.
    [[nodiscard]] sqlite::connection& connection() { return database_->writer(); }

    [[nodiscard]] result<> record(const row_batch& batch) {
        if (!lock_.owns_lock()) return is_over();
        return database_->write("recording rows in a step's transaction", [&](session& change) {
            all_tables in{change};
            return record_rows(in, held_, batch);
        });
    }

    /// Why it cannot be committed any more, if it was open for too long.
    [[nodiscard]] std::optional<error> overdue() const {
        if (!lock_.owns_lock() || !database_->is_late()) return std::nullopt;
        return database_->late_transaction();
    }

    /// If it fails, nothing of it is kept.
    [[nodiscard]] result<> commit() {
        if (!lock_.owns_lock()) return is_over();
        auto done = database_->end("committing a step's transaction", true);
        lock_.unlock();
        return done;
    }

private:
    transaction(std::shared_ptr<database> database, database::writer_lock lock, const lease& held)
        : database_{std::move(database)}, lock_{std::move(lock)}, held_{held} {}

    [[nodiscard]] static std::unexpected<error> is_over() {
        return fail(errc::illegal_transition, "this transaction was committed already");
    }

    std::shared_ptr<database> database_;
    database::writer_lock lock_;
    lease held_;
};

}  // namespace bulk::sqlite
