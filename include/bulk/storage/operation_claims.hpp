// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/storage/lease.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk {

// Which operation a worker gets, and for how long it is the owner. `lease_until` is what the storage has:
// none, if no worker has claimed the operation since the last one gave it back.

/// Whether an operation has work to do: it has not ended, and is not paused. A paused operation that
/// is to be cancelled is claimed, since its owner ends it.
[[nodiscard]] constexpr bool is_claimable(operation_state state, bool paused,
                                          bool cancel_requested) {
    return !is_final(state) && (!paused || cancel_requested);
}
[[nodiscard]] inline bool is_claimable(const operation_record& record) {
    return is_claimable(record.state, record.paused, record.cancel_requested);
}

/// Whether the lease of another worker is still valid.
[[nodiscard]] inline bool is_leased(std::optional<timestamp> lease_until,
                                    const claim_request& request) {
    return lease_until && *lease_until > request.lapsed_by();
}

/// Whether the worker knows the operation by its name, and can run it.
[[nodiscard]] inline bool wants(const claim_request& request, operation_id id,
                                std::string_view name) {
    return std::ranges::any_of(request.names,
                               [&](const std::string& known) { return same_name(known, name); }) &&
           std::ranges::find(request.except, id) == request.except.end();
}

/// Whether a lease is that of the last claim, and was not given back. The storage has one slice for each
/// operation, and a lease of another slice is refused. An expired lease is accepted as long as no other
/// worker has claimed the operation.
[[nodiscard]] constexpr bool is_owner(const lease& held, std::uint64_t fence,
                                      std::optional<timestamp> lease_until) {
    return held.slice == whole_operation && held.fence == fence && lease_until;
}

/// The error for an owner that is not the owner any more.
[[nodiscard]] inline std::unexpected<error> not_owner(operation_id id) {
    return fail(errc::conflict,
                concat("operation ", to_text(id), " is not ours any more: another worker has it"));
}

}  // namespace bulk
