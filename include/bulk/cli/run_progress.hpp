// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/json_line.hpp>
#include <bulk/cli/progress.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/run_text.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/feed_run.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace bulk::cli {

/// How far a run of a feed is, at one moment: first records are fetched, then items consolidated.
struct run_progress {
    feed_run run{};
    run_state state{};
    double rate = 0;  ///< records, or items, a second
    std::chrono::microseconds elapsed{};
    std::optional<std::chrono::seconds> waits{};  ///< until what was fetched is consolidated

    [[nodiscard]] bool is_fetched() const { return all_finished(run); }
    [[nodiscard]] std::uint64_t done() const {
        return is_fetched() ? std::min(run.consolidated + run.bad_items, run.changed) : run.records;
    }
    /// While records are fetched, what the plan has counted.
    [[nodiscard]] std::uint64_t total() const {
        return is_fetched() ? run.changed : std::max(run.estimated, run.records);
    }
    [[nodiscard]] double percent() const {
        if (total() == 0) return 100;
        return 100.0 * static_cast<double>(done()) / static_cast<double>(total());
    }
    [[nodiscard]] std::optional<std::chrono::seconds> left() const {
        if (rate <= 0 || waits) return std::nullopt;
        const double seconds = std::ceil(static_cast<double>(total() - done()) / rate);
        if (seconds > 31'536'000) return std::nullopt;  // a year: nobody waits for that
        return std::chrono::seconds{static_cast<std::int64_t>(seconds)};
    }
};

/// What stands behind a bar: "12,000 of about 20,000 records  1,200 records/s  ETA 0:07"
[[nodiscard]] inline std::string progress_numbers(const run_progress& at) {
    const std::string_view things = at.is_fetched() ? "items" : "records";
    const auto left = at.left();
    return spaced(
        {at.is_fetched()
             ? concat(grouped(at.done()), " of ", grouped(at.total()), " items consolidated")
             : concat(grouped(at.done()), " of about ", grouped(at.total()), " records"),
         at.rate > 0
             ? concat(grouped(static_cast<std::uint64_t>(std::llround(at.rate))), ' ', things, "/s")
             : "",
         left && at.done() < at.total() ? concat("ETA ", countdown_text(*left)) : ""});
}

/// And below it: "partitions 3 of 10  failed 1  changed 8,000"
[[nodiscard]] inline std::string progress_parts(const run_progress& at) {
    const auto& run = at.run;
    return spaced({concat("partitions ", grouped(run.completed), " of ", grouped(run.partitions)),
                   concat("failed ", grouped(run.failed)), concat("changed ", grouped(run.changed)),
                   run.bad_items > 0 ? concat("bad ", grouped(run.bad_items)) : "",
                   at.waits ? concat("consolidation begins in ", countdown_text(*at.waits)) : ""});
}

[[nodiscard]] inline std::pair<std::string, std::string> bar_lines(const run_progress& at,
                                                                   const screen& on) {
    const std::size_t width = on.width > 1 ? on.width - 1 : 1;
    return {bar_line(at.run.feed, at.percent(), progress_numbers(at), on),
            cut_to(concat("  ", progress_parts(at)), width)};
}

/// For a log, where nothing can be drawn over.
[[nodiscard]] inline std::string plain_progress(const run_progress& at) {
    return concat(one_line(at.run.feed), ": ", spaced_name(at.state), "  ",
                  static_cast<int>(at.percent()), "%  ", progress_numbers(at), "  (",
                  progress_parts(at), ')');
}

[[nodiscard]] inline json_line json_progress(const run_progress& at) {
    const auto left = at.left();
    return line_of("run_progress")
        .add("id", to_text(at.run.id))
        .add("feed", at.run.feed)
        .add("state", at.state)
        .add("partitions", at.run.partitions)
        .add("completed", at.run.completed)
        .add("failed", at.run.failed)
        .add("estimated", at.run.estimated)
        .add("records", at.run.records)
        .add("changed", at.run.changed)
        .add("consolidated", at.run.consolidated)
        .add("bad_items", at.run.bad_items)
        .add("percent", at.percent())
        .add("per_second", at.rate)
        .add("eta_seconds", left ? std::optional{left->count()} : std::nullopt)
        .add("elapsed_ms",
             std::chrono::duration_cast<std::chrono::milliseconds>(at.elapsed).count());
}

[[nodiscard]] inline bool is_news(const run_progress& at, const run_progress& before) {
    return at.state != before.state || at.run.failed != before.run.failed;
}
[[nodiscard]] inline bool has_moved(const run_progress& at, const run_progress& before) {
    return at.run.records != before.run.records || at.run.consolidated != before.run.consolidated ||
           at.run.completed != before.run.completed;
}
[[nodiscard]] inline tint tint_of(const run_progress& at) {
    return at.run.failed > 0 || at.run.bad_items > 0 ? tint::warning : tint::good;
}

}  // namespace bulk::cli
