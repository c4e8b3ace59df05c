// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bulk {

/// What was counted since the service began, as a value.
struct service_metrics {
    struct step {
        std::string_view name{};
        histogram durations{};
    };
    struct operation {
        std::string_view name{};
        std::uint64_t succeeded_rows = 0;
        std::uint64_t failed_rows = 0;   ///< by a step
        std::uint64_t refused_rows = 0;  ///< by the parser or a validator
        std::uint64_t timed_out_rows = 0;
        std::uint64_t retried_steps = 0;  ///< tries that failed and are repeated
        std::int64_t waiting_rows = 0;    ///< now
        std::vector<step> steps{};
        histogram flushes{};  ///< how long writing records took
        std::uint64_t failed_flushes = 0;
    };

    std::vector<operation> operations{};
    std::size_t running_operations = 0;  ///< now
    std::size_t queue_depth = 0;         ///< jobs that wait for a thread, now
};

}  // namespace bulk
