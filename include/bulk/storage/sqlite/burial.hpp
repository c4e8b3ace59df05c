// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/storage/presence.hpp>
#include <bulk/storage/sqlite/crash_table.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// Where the processes that use a database say that they live.
[[nodiscard]] inline std::string presence_prefix(std::string_view database) {
    return concat(database, "-process-");
}

/// Processes that died on this machine: what they had of a database, of whatever kind, can be claimed
/// at once. Whoever claims something looks for them first. They are forgotten as soon as that is
/// committed; if it is not, the next one finds them again.
class burial {
public:
    /// `prefix` is where they say that they live.
    explicit burial(std::string prefix) : prefix_{std::move(prefix)} {}

    /// Best before a transaction, which others wait for.
    void look() { dead_ = presence::find_dead(prefix_); }

    /// Within the transaction of a claim, before it: the rows that they were at. Doing it twice changes
    /// nothing.
    [[nodiscard]] std::vector<row_in_flight> hold(session& database) {
        if (!dead_) look();
        std::vector<row_in_flight> rows;
        for (const auto& each : *dead_) {
            const auto of = crash_table{database}.release(each);
            rows.insert(rows.end(), of.begin(), of.end());
        }
        return rows;
    }

    /// The transaction is committed.
    void end() const {
        if (dead_)
            for (const auto& each : *dead_) each.bury();
    }

private:
    std::string prefix_;
    std::optional<std::vector<dead_process>> dead_;
};

}  // namespace bulk::sqlite
