// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/sqlite/crash_table.hpp>
#include <bulk/storage/sqlite/database.hpp>
#include <bulk/storage/sqlite/dead_flights.hpp>
#include <bulk/storage/sqlite/operation_table.hpp>

#include <optional>

namespace bulk::sqlite {

/// Claims by `claim(operations)`. If whoever had the operation before did not give it back, the rows
/// that a dead process was at are counted in the same transaction, and then forgotten.
template <typename Claim>
[[nodiscard]] result<std::optional<claimed_operation>> claim_counted(database& on, Claim claim) {
    std::optional<dead_flights> dead;
    const auto take = [&](session& change) -> result<std::optional<claimed_operation>> {
        operation_table operations{change};
        auto found = claim(operations);
        if (!found || !*found || !(*found)->was_lapsed) return found;
        const auto id = (*found)->operation.id;
        if (const auto number = operations.number_of(id))
            crash_table{change, *number}.count(dead.emplace(on.path()).of(id));
        return found;
    };
    auto claimed = on.write("claiming an operation", take);
    if (claimed && *claimed && dead) dead->forget((*claimed)->operation.id);
    return claimed;
}

}  // namespace bulk::sqlite
