// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/engine/job.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bulk {

/// What is to be done later, by deadline; of equal deadlines, in the order in which they came. Knows
/// no clock and no thread: whoever owns it says what time it is.
class timer_queue {
public:
    void add(timestamp deadline, job job) {
        entries_.push_back({deadline, next_++, std::move(job)});
        std::ranges::push_heap(entries_, is_later);
    }

    [[nodiscard]] std::optional<timestamp> next_deadline() const {
        if (entries_.empty()) return std::nullopt;
        return entries_.front().deadline;
    }

    /// The next job that is due at `now`, or an empty one.
    [[nodiscard]] job take_due(timestamp now) {
        if (entries_.empty() || entries_.front().deadline > now) return {};
        std::ranges::pop_heap(entries_, is_later);
        job due = std::move(entries_.back().what);
        entries_.pop_back();
        return due;
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }

    void clear() { entries_.clear(); }

private:
    struct entry {
        timestamp deadline;
        std::uint64_t number;
        job what;
    };

    static constexpr auto is_later = [](const entry& a, const entry& b) {
        return std::pair{a.deadline, a.number} > std::pair{b.deadline, b.number};
    };

    std::vector<entry> entries_;
    std::uint64_t next_ = 0;
};

}  // namespace bulk
