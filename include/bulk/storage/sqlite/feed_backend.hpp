// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/own_presence.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/feed_tables.hpp>

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::sqlite {

/// How feeds read and write a database: each use is a transaction, written whole or not at all.
class feed_backend {
public:
    using tables = feed_tables;

    /// `present` is this process, for as long as it lives.
    feed_backend(std::shared_ptr<database> used, std::shared_ptr<own_presence> present)
        : database_{std::move(used)}, present_{std::move(present)} {}

    template <typename Change>
    [[nodiscard]] auto write(std::string_view doing, Change change)
        -> std::invoke_result_t<Change, tables&> {
        // Without it, others wait for the lease of what this process claims: no reason to fail.
        (void)present_->begin();
        burial dead{presence_prefix(database_->path())};
        auto done = database_->write(doing, [&](session& changing) {
            tables in{changing, present_->name(), dead};
            return change(in);
        });
        if (done) dead.end();
        return done;
    }

    template <typename Look>
    [[nodiscard]] auto read(std::string_view doing, Look look)
        -> std::invoke_result_t<Look, tables&> {
        burial nobody{presence_prefix(database_->path())};
        return database_->read(doing, [&](session& looking) {
            tables in{looking, present_->name(), nobody};
            return look(in);
        });
    }

private:
    std::shared_ptr<database> database_;
    std::shared_ptr<own_presence> present_;
};

static_assert(bulk::feed_backend<feed_backend>);

}  // namespace bulk::sqlite
