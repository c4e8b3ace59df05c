// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/completed_run.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace bulk {

/// The rows of one page that have completed one step at their first try: nearly all of them. Rows
/// that were done together take one run together, so a million rows and three steps are some ten
/// thousand runs. Everything else about a row is a record apart, which wins over the page.
class record_page {
public:
    /// Rows come mostly in order, and are in no run yet.
    void add(const completed_run& run) {
        if (!runs_.empty() && runs_.back().end() == run.first && is_alike(runs_.back(), run)) {
            runs_.back().count = static_cast<std::uint16_t>(runs_.back().count + run.count);
            return;
        }
        if (runs_.empty())
            runs_.reserve(rows_per_page / 100 + 8);  // batches of a hundred are usual
        const auto place = std::ranges::upper_bound(runs_, run.first, {}, &completed_run::first);
        runs_.insert(place, run);
    }

    /// Several, in order. Rows that are tried again come in between all others, and what is behind
    /// them moves once for all of them.
    void add(std::span<const completed_run> added) {
        while (!added.empty() && (runs_.empty() || runs_.back().end() <= added.front().first)) {
            add(added.front());
            added = added.subspan(1);
        }
        auto left = static_cast<std::ptrdiff_t>(runs_.size());  // to be moved
        runs_.resize(runs_.size() + added.size());
        const auto begin = runs_.begin();
        for (; !added.empty(); added = added.first(added.size() - 1)) {
            const auto more = std::ssize(added);
            const auto behind = std::ranges::upper_bound(begin, begin + left, added.back().first,
                                                         {}, &completed_run::first);
            std::move_backward(behind, begin + left, begin + left + more);
            left = behind - begin;
            *(behind + more - 1) = added.back();
        }
    }

    /// The run that the row is in, if it is in one.
    [[nodiscard]] const completed_run* find(std::size_t row) const {
        const auto after = std::ranges::upper_bound(runs_, row, {}, &completed_run::first);
        if (after == runs_.begin()) return nullptr;
        const completed_run& run = *std::prev(after);
        return row < run.end() ? &run : nullptr;
    }

    [[nodiscard]] const std::vector<completed_run>& runs() const { return runs_; }

    bool operator==(const record_page&) const = default;

private:
    [[nodiscard]] static bool is_alike(const completed_run& a, const completed_run& b) {
        return a.started_at == b.started_at && a.took == b.took;
    }

    std::vector<completed_run> runs_;
};

}  // namespace bulk
