// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/storage/lease.hpp>
#include <bulk/storage/operation_changes.hpp>
#include <bulk/storage/operation_claims.hpp>
#include <bulk/storage/operation_tables.hpp>
#include <bulk/storage/row_crashes.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// The life of operations, within one transaction: from the request that creates one, over the claims of
/// its owners, to its removal.
template <typename Tables>
class operation_life {
public:
    /// What a table has found; see `found_operation`.
    using found = decltype(std::declval<Tables&>().find_operation(operation_id{}));

    explicit operation_life(Tables& in) : in_{in} {}

    /// Fails if the stored record is damaged.
    [[nodiscard]] result<found> find(operation_id id) {
        auto stored = in_.find_operation(id);
        if (!stored) return operation_not_found(id);
        if (stored->damage) return std::unexpected{*stored->damage};
        return stored;
    }

    [[nodiscard]] result<operation_key> find_key(operation_id id) {
        const auto key = key_in(in_, id);
        if (!key) return operation_not_found(id);
        return *key;
    }

    /// The operation, if the lease is still valid.
    [[nodiscard]] result<found> find_owned(const lease& held) {
        auto stored = find(held.operation);
        if (stored && !is_owner(held, (*stored)->fence, (*stored)->lease_until))
            return not_owner(held.operation);
        return stored;
    }

    [[nodiscard]] result<operation_record> create(operation_record record,
                                                  const std::vector<event>& events) {
        if (!record.idempotency_key.empty())
            if (const auto first = in_.find_first(record.name, record.idempotency_key)) {
                if (first->damage) return std::unexpected{*first->damage};
                return first->record;
            }
        if (key_in(in_, record.id)) return operation_exists(record.id);
        record.version = 1;
        in_.insert_operation(record);
        in_.append(events);
        return record;
    }

    [[nodiscard]] result<operation_record> update(const operation_record& record,
                                                  const std::vector<event>& events) {
        const auto stored = find(record.id);
        if (!stored) return std::unexpected{stored.error()};
        if (auto same = check_version((*stored)->record, record); !same)
            return std::unexpected{same.error()};
        return replace(**stored, record, events);
    }

    [[nodiscard]] result<operation_record> update(const lease& held, const operation_record& record,
                                                  const std::vector<event>& events) {
        const auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        return replace(**owned, owner_update((*owned)->record, record), events);
    }

    /// Nobody owns an operation that is retried, until a worker claims it.
    void retry(const stored_operation& stored, const operation_record& record,
               std::uint64_t reset_rows, const std::vector<event>& events) {
        const auto key = stored.key;
        (void)replace(stored, retry_update(stored.record, record, reset_rows), events);
        in_.set_lease(key, std::nullopt);
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(const claim_request& request) {
        row_crashes{in_}.count_dead();
        const auto oldest = in_.find_open(request.lapsed_by(), [&](const claim_candidate& each) {
            return is_claimable(each.state, each.paused, each.cancel_requested) &&
                   !is_leased(each.lease_until, request) && wants(request, each.id, each.name) &&
                   each.is_intact;  // a damaged one is reported when it is read, and never run
        });
        if (!oldest) return std::nullopt;
        return take(*oldest, request);
    }

    [[nodiscard]] result<std::optional<claimed_operation>> claim(operation_id id,
                                                                 const claim_request& request) {
        row_crashes{in_}.count_dead();
        const auto stored = in_.find_operation(id);
        if (!stored) return std::nullopt;
        if (stored->damage) return std::unexpected{*stored->damage};
        if (is_leased(stored->lease_until, request) || !is_claimable(stored->record))
            return std::nullopt;
        return take(*stored, request);
    }

    [[nodiscard]] result<operation_record> renew(const lease& held, timestamp until) {
        const auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        in_.set_lease((*owned)->key, until);
        return (*owned)->record;
    }

    [[nodiscard]] result<> release(const lease& held) {
        const auto owned = find_owned(held);
        if (!owned) return std::unexpected{owned.error()};
        in_.set_lease((*owned)->key, std::nullopt);
        return {};
    }

    /// A damaged operation can be removed in any state: nobody runs it.
    [[nodiscard]] result<> remove(operation_id id) {
        const auto stored = in_.find_operation(id);
        if (!stored) return operation_not_found(id);
        if (!stored->damage)
            if (auto can = check_removable(stored->record); !can) return can;
        in_.remove_operation(operation_key{stored->key});
        return {};
    }

private:
    [[nodiscard]] operation_record replace(const stored_operation& stored, operation_record record,
                                           const std::vector<event>& events) {
        const auto key = stored.key;
        record.version = stored.record.version + 1;
        in_.save_operation(key, record);
        if (is_final(record.state)) in_.set_lease(key, std::nullopt);  // it has no owner
        in_.append(events);
        return record;
    }

    [[nodiscard]] claimed_operation take(const stored_operation& stored,
                                         const claim_request& request) {
        claimed_operation claimed{.held = {.operation = stored.key.id, .fence = stored.fence + 1},
                                  .operation = stored.record,
                                  .was_lapsed = stored.lease_until.has_value()};
        in_.set_owner(operation_key{stored.key}, claimed.held.fence,
                      request.now + request.lease_time, request.owner);
        if (claimed.was_lapsed) row_crashes{in_}.count(in_.rows_in_flight(claimed.held.operation));
        return claimed;
    }

    Tables& in_;
};

}  // namespace bulk
