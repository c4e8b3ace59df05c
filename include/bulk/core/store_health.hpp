// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulk {

/// One thing in a storage that is not what was written.
struct stored_damage {
    std::string operation{};      ///< its id; empty: of no operation, or of one that is not found
    std::uint64_t first_row = 0;  ///< 0: of no row
    std::uint64_t last_row = 0;
    std::optional<step_index> step{};
    std::string what{};

    bool operator==(const stored_damage&) const = default;
};

/// operation 0199…, rows 1 to 4096: damaged page of row records
[[nodiscard]] inline std::string to_text(const stored_damage& each) {
    std::string where;
    const auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
    if (!each.operation.empty()) add(concat("operation ", each.operation));
    if (each.first_row > 0 && each.first_row == each.last_row) add(concat("row ", each.first_row));
    if (each.first_row < each.last_row) add(concat("rows ", each.first_row, " to ", each.last_row));
    if (each.step) add(concat("step ", to_number(*each.step)));
    return where.empty() ? each.what : concat(where, ": ", each.what);
}

/// What a storage says of itself.
struct store_health {
    std::int64_t version = 0;        ///< of its schema
    std::int64_t known_version = 0;  ///< of this program
    std::uint64_t size = 0;          ///< in bytes
    std::uint64_t log_size = 0;      ///< not yet written back
    std::uint64_t disk_free = 0;
    std::string journal_mode{};
    std::uint64_t operations = 0;
    std::uint64_t open_operations = 0;  ///< not ended yet
    std::uint64_t expired_leases = 0;   ///< of workers that crashed or hang

    bool is_checked = false;  ///< everything was read
    std::vector<stored_damage> damage{};
    bool has_more_damage = false;  ///< than is listed
};

}  // namespace bulk
