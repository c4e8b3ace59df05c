// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bulk {

/// So many rows share a page.
inline constexpr std::uint64_t rows_per_page = 4096;

/// When rows that follow each other went through a step.
struct completed_run {
    std::uint16_t first = 0;  ///< in the page, from 0
    std::uint16_t count = 0;
    std::uint32_t took = 0;  ///< in microseconds; what took longer than an hour is a record apart
    timestamp started_at{};

    [[nodiscard]] timestamp completed_at() const {
        return started_at + std::chrono::microseconds{took};
    }
    [[nodiscard]] std::size_t end() const { return std::size_t{first} + count; }

    bool operator==(const completed_run&) const = default;
};
static_assert(sizeof(completed_run) == 16);

/// What a run can say of how long it took.
[[nodiscard]] constexpr bool fits_in_run(std::chrono::microseconds took) {
    return took.count() >= 0 && took.count() <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace bulk
