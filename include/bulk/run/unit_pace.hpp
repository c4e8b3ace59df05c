// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bulk {

/// How many rows make a unit of work: about a millisecond's worth, so that quick rows cost nothing
/// to hand out and slow ones are spread over all tasks. Nobody knows at first, so it begins with one.
class unit_pace {
public:
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

    void learn(std::chrono::microseconds took, std::uint64_t rows) {
        constexpr std::uint64_t target = 1'000'000, most = 4096;
        const auto nanos = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0)) *
                           1000 / std::max<std::uint64_t>(rows, 1);
        nanos_per_row_ = nanos > nanos_per_row_ ? nanos : (3 * nanos_per_row_ + nanos) / 4;
        const std::uint64_t fitting = target / std::max<std::uint64_t>(nanos_per_row_, 1);
        rows_ = std::clamp<std::uint64_t>(std::min(fitting, rows_ * 4), 1, most);
    }

private:
    std::uint64_t rows_ = 1;
    std::uint64_t nanos_per_row_ = 0;
};

}  // namespace bulk
