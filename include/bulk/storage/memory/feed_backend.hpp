// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/feed_ledger.hpp>
#include <bulk/storage/memory/feed_tables.hpp>

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace bulk::memory {

/// The tables of a storage, under its lock. Each call is a transaction.
class feed_backend {
public:
    using tables = feed_tables;

    feed_backend(std::shared_ptr<std::mutex> mutex, std::shared_ptr<tables> all)
        : mutex_{std::move(mutex)}, all_{std::move(all)} {}

    template <typename Change>
    [[nodiscard]] auto write(std::string_view /*doing*/, Change change) {
        const std::scoped_lock lock{*mutex_};
        return change(*all_);
    }
    template <typename Look>
    [[nodiscard]] auto read(std::string_view /*doing*/, Look look) {
        const std::scoped_lock lock{*mutex_};
        return look(*all_);
    }

private:
    std::shared_ptr<std::mutex> mutex_;
    std::shared_ptr<tables> all_;
};
static_assert(bulk::feed_backend<feed_backend>);

}  // namespace bulk::memory
