// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace bulk {

/// Uploads in a directory of this machine. It belongs to one database: uploads that the operations
/// of that one do not refer to are removed.
struct directory_options {
    std::string base_path = "bulk-storage";
};

/// What a committed change survives.
enum class durability : std::uint8_t {
    normal,  ///< the end of the process, always; a power failure may take back the last moments
    full,    ///< a power failure, too: every commit waits until the disk has it
};
BOOST_DESCRIBE_ENUM(durability, normal, full)

/// One SQLite file that holds the records, and a directory for the uploads.
struct sqlite_options {
    bulk::durability durability = bulk::durability::normal;
    std::chrono::milliseconds busy_timeout{10'000};  ///< for others who write; then it fails
    /// Of a step: nobody else can write until it ends, so what takes longer is undone.
    std::chrono::milliseconds transaction_timeout{5'000};
    int cache_kib = 2'048;          ///< of memory for each connection; there are a few
    std::string files_directory{};  ///< for this database alone; empty: `<database>-files`
};

[[nodiscard]] inline result<> validate(const directory_options& options) {
    return setting_rules::not_blank("base_path", options.base_path);
}

[[nodiscard]] inline result<> validate(const sqlite_options& options) {
    using namespace setting_rules;
    return first_failure({
        not_negative("busy_timeout", options.busy_timeout),
        positive("transaction_timeout", options.transaction_timeout),
        at_least("cache_kib", options.cache_kib, 64),
    });
}

}  // namespace bulk
