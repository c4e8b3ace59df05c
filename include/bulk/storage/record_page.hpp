// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/completed_run.hpp>
#include <bulk/storage/varint.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// A page as bytes: a version, then for each run what lies between it and the one before, its size,
/// and its times as differences.
[[nodiscard]] inline std::string to_bytes(const record_page& page) {
    std::string bytes{'\1'};
    std::size_t end = 0;
    std::int64_t time = 0;
    for (const auto& run : page.runs()) {
        varint::put_number(bytes, run.first - end);
        varint::put_number(bytes, run.count);
        varint::put_number(bytes, varint::zigzag(run.started_at.time_since_epoch().count() - time));
        varint::put_number(bytes, run.took);
        end = run.end();
        time = run.started_at.time_since_epoch().count();
    }
    return bytes;
}

[[nodiscard]] inline result<record_page> page_from_bytes(std::string_view bytes) {
    const auto refuse = [] {
        return fail(errc::unavailable,
                    "a stored page of row records cannot be read: its bytes are "
                    "not what this version wrote");
    };
    if (!bytes.starts_with('\1')) return refuse();
    bytes.remove_prefix(1);
    record_page page;
    std::uint64_t end = 0;
    std::int64_t time = 0;
    while (!bytes.empty()) {
        const auto gap = varint::take_number(bytes), count = varint::take_number(bytes);
        const auto moved = varint::take_number(bytes), took = varint::take_number(bytes);
        if (!gap || !count || !moved || !took) return refuse();
        if (*gap > rows_per_page || *count == 0 || *count > rows_per_page ||
            end + *gap + *count > rows_per_page ||
            *took > std::numeric_limits<std::uint32_t>::max())
            return refuse();
        time += varint::unzigzag(*moved);
        page.add({.first = static_cast<std::uint16_t>(end + *gap),
                  .count = static_cast<std::uint16_t>(*count),
                  .took = static_cast<std::uint32_t>(*took),
                  .started_at = timestamp{std::chrono::microseconds{time}}});
        end += *gap + *count;
    }
    return page;
}

}  // namespace bulk
