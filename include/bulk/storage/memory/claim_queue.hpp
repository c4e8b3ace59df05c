// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/storage/operation_claims.hpp>

#include <optional>
#include <set>
#include <utility>

namespace bulk::memory {

/// Operations that can be claimed: those that nobody has, by age, and those whose lease may run out.
class claim_queue {
public:
    /// What it looks at changes between `leave` and `enter` only.
    void enter(const operation_record& record, std::optional<timestamp> lease_until) {
        if (lease_until)
            leased_.emplace(*lease_until, record.id);
        else if (is_claimable(record))
            free_.emplace(record.created_at, record.id);
    }
    void leave(const operation_record& record, std::optional<timestamp> lease_until) {
        if (lease_until) leased_.erase({*lease_until, record.id});
        free_.erase({record.created_at, record.id});
    }

    /// The oldest that can be claimed now and is wanted; `find` gives the record of an id.
    template <typename Find, typename Wants>
    [[nodiscard]] std::optional<operation_id> oldest(timestamp now, Find find, Wants wants) const {
        std::optional<std::pair<timestamp, operation_id>> found;
        for (const auto& each : free_)
            if (wants(find(each.second))) {
                found = each;
                break;
            }
        for (const auto& [until, id] : leased_) {
            if (until > now) break;
            const operation_record& record = find(id);
            const std::pair age{record.created_at, id};
            if ((!found || age < *found) && is_claimable(record) && wants(record)) found = age;
        }
        return found ? std::optional{found->second} : std::nullopt;
    }

private:
    std::set<std::pair<timestamp, operation_id>> free_;    ///< by age
    std::set<std::pair<timestamp, operation_id>> leased_;  ///< by when the lease ends
};

}  // namespace bulk::memory
