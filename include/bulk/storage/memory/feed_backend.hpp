// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/read_limit.hpp>
#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/memory/feed_tables.hpp>
#include <bulk/storage/memory/table_lock.hpp>

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::memory {

/// The tables of a storage, under its lock. Each call is a transaction.
class feed_backend {
public:
    using tables = feed_tables;

    feed_backend(std::shared_ptr<table_lock> lock, std::shared_ptr<tables> all)
        : lock_{std::move(lock)}, all_{std::move(all)} {}

    template <typename Change>
    [[nodiscard]] auto write(std::string_view /*doing*/, Change change) {
        const auto lock = lock_->write();
        return change(*all_);
    }
    /// `look` calls what reads the tables, and only that: several threads do at once.
    template <typename Look>
    [[nodiscard]] auto read(std::string_view /*doing*/, Look look)
        -> std::invoke_result_t<Look, tables&> {
        const auto lock = lock_->read();
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        auto found = look(*all_);
        if (auto over = read_scope::reached()) return std::unexpected{std::move(*over)};
        return found;
    }

private:
    std::shared_ptr<table_lock> lock_;
    std::shared_ptr<tables> all_;
};
static_assert(bulk::feed_backend<feed_backend>);

}  // namespace bulk::memory
