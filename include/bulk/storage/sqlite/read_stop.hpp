// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/storage/sqlite/connection.hpp>

#include <sqlite3.h>

#include <optional>

namespace bulk::sqlite {

/// Stops what a connection runs when the limit of this thread's reads is reached, for as long as this
/// lives: SQLite asks once in so many instructions, however long a statement takes.
class read_stop {
public:
    explicit read_stop(connection& used) : used_{used}, limit_{read_scope::current()} {
        if (limit_ != nullptr)
            sqlite3_progress_handler(used_.handle(), instructions, is_over, this);
    }
    read_stop(const read_stop&) = delete;
    read_stop& operator=(const read_stop&) = delete;
    ~read_stop() {
        if (limit_ != nullptr) sqlite3_progress_handler(used_.handle(), 0, nullptr, nullptr);
    }

    /// Why it was stopped, if it was.
    [[nodiscard]] const std::optional<error>& reason() const { return reason_; }

private:
    /// Some microseconds: less than a wait that anybody notices, more than a look at the clock costs.
    static constexpr int instructions = 1'000;

    static int is_over(void* self) {
        auto& stop = *static_cast<read_stop*>(self);
        if (!stop.reason_) stop.reason_ = stop.limit_->reached();
        return stop.reason_ ? 1 : 0;
    }

    connection& used_;
    const read_limit* limit_;
    std::optional<error> reason_;
};

}  // namespace bulk::sqlite
