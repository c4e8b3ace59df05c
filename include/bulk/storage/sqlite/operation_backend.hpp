// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/operation_ledger.hpp>
#include <bulk/storage/own_presence.hpp>
#include <bulk/storage/sqlite/all_tables.hpp>
#include <bulk/storage/sqlite/burial.hpp>
#include <bulk/storage/sqlite/database.hpp>

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::sqlite {

/// How operations read and write a database: each use is a transaction, written whole or not at all.
class operation_backend {
public:
    using tables = all_tables;

    /// `present` is this process, for as long as it lives.
    operation_backend(std::shared_ptr<database> used, std::shared_ptr<own_presence> present)
        : database_{std::move(used)}, present_{std::move(present)} {}

    template <typename Change>
    [[nodiscard]] auto write(std::string_view doing, Change change)
        -> std::invoke_result_t<Change, tables&> {
        return database_->write(doing, [&](session& changing) {
            tables in{changing};
            return change(in);
        });
    }

    /// What processes have left that died on this machine can be claimed at once.
    template <typename Change>
    [[nodiscard]] auto claim(std::string_view doing, Change change)
        -> std::invoke_result_t<Change, tables&> {
        if (auto begun = present_->begin(); !begun) return std::unexpected{begun.error()};
        burial dead{presence_prefix(database_->path())};
        dead.look();
        auto claimed = database_->write(doing, [&](session& changing) {
            tables in{changing, present_->name(), &dead};
            return change(in);
        });
        if (claimed) dead.end();
        return claimed;
    }

    template <typename Look>
    [[nodiscard]] auto read(std::string_view doing, Look look)
        -> std::invoke_result_t<Look, tables&> {
        return database_->read(doing, [&](session& looking) {
            tables in{looking};
            return look(in);
        });
    }

private:
    std::shared_ptr<database> database_;
    std::shared_ptr<own_presence> present_;
};

static_assert(bulk::operation_backend<operation_backend>);

}  // namespace bulk::sqlite
