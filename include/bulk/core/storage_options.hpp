// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/setting_rules.hpp>

#include <chrono>
#include <string>

namespace bulk {

/// Uploads in a directory of this machine. It belongs to one database: uploads that the operations
/// of that one do not refer to are removed.
struct directory_options {
    std::string base_path = "bulk-storage";
};

/// Uploads in an S3 bucket.
struct s3_options {
    std::string bucket{};
    std::string prefix{};
    std::string service_url{};  ///< for servers other than Amazon's
    bool force_path_style = false;
    std::string region = "us-east-1";
};

/// A database server that holds the records.
struct database_options {
    std::string connection_string{};
    int max_retry_count = 3;  ///< of a statement that failed for a passing reason
    std::chrono::milliseconds max_retry_delay{5'000};
};

[[nodiscard]] inline result<> validate(const directory_options& options) {
    return setting_rules::not_blank("base_path", options.base_path);
}

[[nodiscard]] inline result<> validate(const s3_options& options) {
    using namespace setting_rules;
    return first_failure(
        {not_blank("bucket", options.bucket), not_blank("region", options.region)});
}

[[nodiscard]] inline result<> validate(const database_options& options) {
    using namespace setting_rules;
    return first_failure({
        not_blank("connection_string", options.connection_string),
        at_least("max_retry_count", options.max_retry_count, 0),
        not_negative("max_retry_delay", options.max_retry_delay),
    });
}

}  // namespace bulk
