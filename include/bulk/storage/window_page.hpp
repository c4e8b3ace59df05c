// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/completed_run.hpp>
#include <bulk/storage/step_moves.hpp>
#include <bulk/storage/varint.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Rows of a page that went through steps that follow each other, together.
struct completed_window {
    std::uint16_t first = 0;  ///< in the page, from 0
    std::uint16_t count = 0;
    step_index first_step{};
    step_index last_step{};
    timestamp started_at{};
    std::chrono::microseconds took{};

    [[nodiscard]] timestamp completed_at() const { return started_at + took; }
    [[nodiscard]] std::size_t end() const { return std::size_t{first} + count; }
    [[nodiscard]] bool has(std::size_t row, step_index step) const {
        return row >= first && row < end() && step >= first_step && step <= last_step;
    }
    bool operator==(const completed_window&) const = default;
};

/// What a page's rows have completed at their first try, all steps together: as a database keeps it,
/// one small value for 4096 rows, so that a batch of rows rewrites one value and not one for each
/// step. Windows may lie over each other (other steps of the same rows, or a step that a crash made
/// run again); what was added last counts.
class window_page {
public:
    window_page() = default;
    /// By first row.
    explicit window_page(std::vector<completed_window> windows) : windows_{std::move(windows)} {}

    void add(const completed_window& window) {
        const auto behind =
            std::ranges::upper_bound(windows_, window.first, {}, &completed_window::first);
        for (auto& before : std::ranges::subrange(windows_.begin(), behind) | std::views::reverse) {
            if (before.end() == window.first && is_alike(before, window)) {
                before.count = static_cast<std::uint16_t>(before.count + window.count);
                return;
            }
            if (before.end() < window.first) break;  // what comes first mostly ends first
        }
        windows_.insert(behind, window);
    }

    /// Joins windows that follow each other and lie together within `span`: their rows have one time
    /// between them from now on.
    void join_within(std::chrono::microseconds span) {
        std::map<std::pair<step_index, step_index>, std::size_t> last;  // of these steps
        std::size_t kept = 0;
        for (const auto& each : windows_) {
            const auto [before, is_first] =
                last.try_emplace({each.first_step, each.last_step}, kept);
            if (!is_first && join(windows_[before->second], each, span)) continue;
            before->second = kept;
            windows_[kept++] = completed_window{each};
        }
        windows_.resize(kept);
    }

    /// The window that the row is in at that step, if it is in one.
    [[nodiscard]] const completed_window* find(std::size_t row, step_index step) const {
        const auto behind = std::ranges::upper_bound(windows_, row, {}, &completed_window::first);
        for (const auto& each :
             std::ranges::subrange(windows_.begin(), behind) | std::views::reverse)
            if (each.has(row, step)) return &each;
        return nullptr;
    }

    /// As it is when the steps stand elsewhere.
    [[nodiscard]] window_page moved_to(const step_moves& to) const {
        window_page page;
        for (auto window : windows_) {
            const auto last = window.last_step;
            for (auto step = window.first_step; step <= last; step = next(step)) {
                window.first_step = window.last_step = moved(step, to);
                while (step < last && moved(next(step), to) == next(window.last_step)) {
                    step = next(step);
                    window.last_step = next(window.last_step);
                }
                page.add(window);
            }
        }
        return page;
    }

    /// By first row.
    [[nodiscard]] const std::vector<completed_window>& windows() const { return windows_; }

    bool operator==(const window_page&) const = default;

private:
    static step_index next(step_index step) { return static_cast<step_index>(to_number(step) + 1); }

    [[nodiscard]] static bool is_alike(const completed_window& a, const completed_window& b) {
        return a.first_step == b.first_step && a.last_step == b.last_step &&
               a.started_at == b.started_at && a.took == b.took;
    }

    [[nodiscard]] static bool join(completed_window& one, const completed_window& next,
                                   std::chrono::microseconds span) {
        const auto begin = std::min(one.started_at, next.started_at);
        const auto end = std::max(one.completed_at(), next.completed_at());
        if (one.end() != next.first || end - begin > span) return false;
        one.count = static_cast<std::uint16_t>(one.count + next.count);
        one.started_at = begin;
        one.took = end - begin;
        return true;
    }

    std::vector<completed_window> windows_;
};

/// A version, then for each window how far its first row is behind that of the one before, its
/// rows, its steps, and its times as differences: about ten bytes.
[[nodiscard]] inline std::string to_bytes(const window_page& page) {
    std::string bytes{'\1'};
    bytes.reserve(page.windows().size() * 12 + 1);
    std::size_t first = 0;
    std::uint64_t time = 0;  // differences of any two times fit, as they wrap around
    for (const auto& each : page.windows()) {
        const auto started = static_cast<std::uint64_t>(each.started_at.time_since_epoch().count());
        varint::put_number(bytes, each.first - first);
        varint::put_number(bytes, each.count);
        varint::put_number(bytes, varint::zigzag(to_number(each.first_step)));
        varint::put_number(bytes, static_cast<std::uint64_t>(to_number(each.last_step) -
                                                             to_number(each.first_step)));
        varint::put_number(bytes, varint::zigzag(static_cast<std::int64_t>(started - time)));
        varint::put_number(bytes, varint::zigzag(each.took.count()));
        first = each.first;
        time = started;
    }
    return bytes;
}

[[nodiscard]] inline result<window_page> windows_from_bytes(std::string_view bytes) {
    const auto refuse = [] {
        return fail(errc::unavailable,
                    "a stored page of row records cannot be read: its bytes are "
                    "not what this version wrote");
    };
    if (!bytes.starts_with('\1')) return refuse();
    bytes.remove_prefix(1);
    std::vector<completed_window> windows;
    windows.reserve(bytes.size() / 6);
    std::uint64_t first = 0;
    std::uint64_t time = 0;
    while (!bytes.empty()) {
        const auto gap = varint::take_number(bytes), count = varint::take_number(bytes);
        const auto step = varint::take_number(bytes), steps = varint::take_number(bytes);
        const auto moved = varint::take_number(bytes), took = varint::take_number(bytes);
        if (!gap || !count || !step || !steps || !moved || !took) return refuse();
        const auto first_step = varint::unzigzag(*step);
        if (*gap > rows_per_page || *count == 0 || *count > rows_per_page ||
            first + *gap + *count > rows_per_page || first_step < to_number(validation_step) ||
            first_step > 0x7fff || *steps > 0x7fff ||
            first_step + static_cast<std::int64_t>(*steps) > 0x7fff)
            return refuse();
        first += *gap;
        time += static_cast<std::uint64_t>(varint::unzigzag(*moved));
        windows.push_back(
            {.first = static_cast<std::uint16_t>(first),
             .count = static_cast<std::uint16_t>(*count),
             .first_step = static_cast<step_index>(first_step),
             .last_step = static_cast<step_index>(first_step + static_cast<std::int64_t>(*steps)),
             .started_at = timestamp{std::chrono::microseconds{static_cast<std::int64_t>(time)}},
             .took = std::chrono::microseconds{varint::unzigzag(*took)}});
    }
    return window_page{std::move(windows)};
}

}  // namespace bulk
