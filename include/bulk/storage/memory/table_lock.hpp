// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <shared_mutex>

namespace bulk::memory {

/// The lock in front of all tables. Reads share it, so that one that takes long does not hold up the others.
/// Searches, which may take long, come one at a time: when one ends, a change that waits comes before the next.
/// With several at once there would be no such moment, since a shared mutex may let readers pass a writer.
class table_lock {
public:
    /// What is held during a search.
    class search_lock {
    public:
        explicit search_lock(table_lock& all) : turn_{all.searching_}, shared_{all.mutex_} {}

    private:
        std::unique_lock<std::mutex> turn_;
        std::shared_lock<std::shared_mutex> shared_;
    };

    /// To change something.
    [[nodiscard]] std::unique_lock<std::shared_mutex> write() { return std::unique_lock{mutex_}; }
    /// To read some records that are found at once.
    [[nodiscard]] std::shared_lock<std::shared_mutex> read() { return std::shared_lock{mutex_}; }
    /// To read any number of records.
    [[nodiscard]] search_lock search() { return search_lock{*this}; }

private:
    std::shared_mutex mutex_;
    std::mutex searching_;
};

}  // namespace bulk::memory
