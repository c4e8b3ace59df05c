// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bulk::http {

/// How long the other side may still be waited for. Waiting uses it up and bytes give it back, so many a
/// second, but never more than there was: nobody is waited for longer than that at once, and nobody who
/// is slower than the rate goes on for ever, however often a byte comes.
class wait_budget {
public:
    using clock = std::chrono::steady_clock;

    /// A rate of 0: any byte gives all of it back.
    wait_budget(std::chrono::milliseconds most, std::uint32_t bytes_per_second)
        : most_{most}, left_{most}, bytes_per_second_{bytes_per_second} {}

    [[nodiscard]] clock::time_point deadline(clock::time_point now) const { return now + left_; }

    void waited(clock::duration time) { left_ = std::max(left_ - time, clock::duration::zero()); }

    void moved(std::size_t bytes) {
        if (bytes == 0) return;
        // So much is worth all of it, and more cannot overflow below.
        const auto enough =
            static_cast<std::uint64_t>(most_.count() / 1'000 + 1) * bytes_per_second_;
        if (bytes >= enough) {
            left_ = most_;
            return;
        }
        const std::chrono::duration<double> worth{static_cast<double>(bytes) / bytes_per_second_};
        left_ = std::min<clock::duration>(
            most_, left_ + std::chrono::duration_cast<clock::duration>(worth));
    }

private:
    std::chrono::milliseconds most_;
    clock::duration left_;
    std::uint32_t bytes_per_second_;
};

}  // namespace bulk::http
