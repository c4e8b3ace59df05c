// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bulk {

/// A part of an operation that has an owner of its own.
enum class slice_number : std::uint32_t {};

/// The only slice of an operation in a storage that does not cut operations, as memory and SQLite.
inline constexpr slice_number whole_operation{0};

/// The right to work on a slice of an operation until another worker claims it. Each claim has a greater
/// fence; a write with an older fence is refused.
struct lease {
    operation_id operation{};
    slice_number slice = whole_operation;
    std::uint64_t fence = 0;

    bool operator==(const lease&) const = default;
};

/// Who wants work, and which.
struct claim_request {
    std::string owner{};                 ///< for people
    std::vector<std::string> names{};    ///< of operations that this process knows; in any case
    std::vector<operation_id> except{};  ///< that it cannot run
    timestamp now{};
    std::chrono::milliseconds lease_time{};
    /// The clock was set forward by so much lately: leases end that much later for this once.
    std::chrono::microseconds clock_doubt{};

    [[nodiscard]] timestamp lapsed_by() const { return now - clock_doubt; }
};

struct claimed_operation {
    lease held{};
    operation_record operation{};
    bool was_lapsed = false;  ///< whoever had it before did not give it back
};

}  // namespace bulk
