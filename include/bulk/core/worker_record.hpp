// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bulk {

/// Which service of which process: a process that starts again is another one.
struct worker_id {
    uuid value{};

    auto operator<=>(const worker_id&) const = default;
};

[[nodiscard]] inline std::string to_text(const worker_id& id) { return to_text(id.value); }

enum class worker_kind : std::uint8_t {
    operations,  ///< runs operations
    feeds,       ///< works on runs of feeds
};
BOOST_DESCRIBE_ENUM(worker_kind, operations, feeds)

/// A service that runs work, as it has last said of itself. One that ends in order takes its record
/// with it; that of one that was killed stays, and nobody renews it.
struct worker_record {
    worker_id id{};
    worker_kind kind = worker_kind::operations;
    std::string name{};  ///< of the service
    std::string host{};
    std::int64_t pid = 0;
    timestamp started_at{};
    timestamp seen_at{};
    std::chrono::milliseconds silent_after{};  ///< by then it would have said something again
    std::uint32_t running_operations = 0;      ///< that it has claimed
    std::uint32_t running_pages = 0;           ///< pages and batches of feeds

    bool operator==(const worker_record&) const = default;
};

/// Whether nothing was heard of a worker for so long that it is not there any more, or cannot reach
/// the storage.
[[nodiscard]] constexpr bool is_silent(const worker_record& worker, timestamp now) {
    return now - worker.seen_at > worker.silent_after;
}

/// A worker of which nothing was heard for so long is forgotten by the next that says something.
inline constexpr std::chrono::hours worker_memory{24};

/// A storage gives no more than these: those that were seen last.
inline constexpr std::size_t most_workers = 1'000;

}  // namespace bulk
