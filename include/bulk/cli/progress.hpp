// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/json_line.hpp>
#include <bulk/cli/readable.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_state.hpp>
#include <bulk/core/row_counters.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

/// How fast rows are processed, over the last seconds: what was long ago says little of now.
class rate_meter {
public:
    void add(timestamp now, std::uint64_t processed) {
        seen_.emplace_back(now, processed);
        while (seen_.size() > 2 && now - seen_[1].first >= window) seen_.pop_front();
    }

    /// Rows a second; 0 while nothing is known.
    [[nodiscard]] double rate() const {
        if (seen_.size() < 2) return 0;
        const auto& [begin, from] = seen_.front();
        const auto& [end, to] = seen_.back();
        if (end <= begin || to <= from) return 0;
        const std::chrono::duration<double> took = end - begin;
        return static_cast<double>(to - from) / took.count();
    }

private:
    static constexpr std::chrono::seconds window{5};

    std::deque<std::pair<timestamp, std::uint64_t>> seen_;
};

/// How far an operation is, at one moment.
struct progress {
    std::string title{};  ///< its file
    operation_id id{};
    operation_state state{};
    bool paused = false;
    bool total_known = false;
    row_counters rows{};
    std::int64_t waiting = 0;  ///< rows that wait: for a time, or for somebody
    std::vector<std::pair<std::string_view, std::uint64_t>> steps{};  ///< how often each was done
    double rate = 0;
    std::chrono::microseconds elapsed{};

    [[nodiscard]] std::optional<std::chrono::seconds> left() const {
        if (!total_known || rate <= 0) return std::nullopt;
        const double seconds = std::ceil(static_cast<double>(unprocessed(rows)) / rate);
        if (seconds > 31'536'000) return std::nullopt;  // a year: nobody waits for that
        return std::chrono::seconds{static_cast<std::int64_t>(seconds)};
    }
};

namespace detail {

[[nodiscard]] inline std::string bar(double percent, std::size_t width, bool unicode) {
    const auto share = std::clamp(percent / 100, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    std::string text;
    for (std::size_t i = 0; i < width; ++i)
        text += unicode ? (i < filled ? "█" : "░") : (i < filled ? "#" : ".");
    return text;
}

/// "validating" is the whole news while rows are counted.
[[nodiscard]] inline std::string standing(const progress& at) {
    std::string text{name_of(at.state)};
    if (at.paused) text += ", paused";
    return text;
}

}  // namespace detail

/// Those that say something, with a gap between them.
[[nodiscard]] inline std::string spaced(const std::vector<std::string>& parts) {
    std::string text;
    for (const auto& each : parts)
        if (!each.empty()) text += (text.empty() ? "" : "  ") + each;
    return text;
}

/// A title, a bar if it is known how far it is and there is room, and numbers: one line of a
/// terminal at most.
[[nodiscard]] inline std::string bar_line(std::string_view name, std::optional<double> percent,
                                          std::string_view numbers, const screen& on) {
    const std::size_t width = on.width > 1 ? on.width - 1 : 1;  // the last place would wrap
    const std::string title = cut_to(one_line(name), std::max<std::size_t>(8, width / 4));
    std::string line = title;
    if (percent) {
        const auto number = std::to_string(static_cast<int>(*percent));
        const std::string share =
            concat(std::string(3 - std::min<std::size_t>(3, number.size()), ' '), number, '%');
        const std::size_t used = display_width(title) + share.size() + display_width(numbers) + 6;
        const std::size_t room = width > used ? width - used : 0;
        constexpr std::size_t least = 5, most = 40;  // what is narrower says nothing
        if (room >= least)
            line += "  " + detail::bar(*percent, std::min(room, most), on.has_unicode);
        line += "  " + share;
    }
    return cut_to(concat(line, "  ", numbers), width);
}

/// What stands behind a bar and on a plain line: rows, speed, time left, failures, waits.
[[nodiscard]] inline std::string progress_numbers(const progress& at) {
    const std::string total = at.total_known ? concat(" / ", grouped(at.rows.total)) : "";
    const auto left = at.left();
    return spaced(
        {concat(grouped(at.rows.processed), total, " rows"),
         at.rate > 0 ? concat(grouped(static_cast<std::uint64_t>(std::llround(at.rate))), " rows/s")
                     : "",
         left && unprocessed(at.rows) > 0 ? concat("ETA ", countdown_text(*left)) : "",
         concat("failed ", grouped(at.rows.failed)),
         at.waiting > 0 ? concat("waiting ", grouped(static_cast<std::uint64_t>(at.waiting)))
                        : ""});
}

/// "SIM Activation 1,204  Notification 1,100"
[[nodiscard]] inline std::string progress_steps(const progress& at) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : at.steps) parts.push_back(concat(name, ' ', grouped(count)));
    return spaced(parts);
}

/// The bar as it is drawn on a terminal: one line of its width at most, and one with the steps, if
/// there are any.
[[nodiscard]] inline std::pair<std::string, std::string> bar_lines(const progress& at,
                                                                   const screen& on) {
    std::string numbers = progress_numbers(at);
    if (!at.total_known || at.paused) numbers = concat(detail::standing(at), "  ", numbers);
    const auto percent = at.total_known ? std::optional{bulk::percent(at.rows)} : std::nullopt;
    const std::size_t width = on.width > 1 ? on.width - 1 : 1;
    return {bar_line(at.title, percent, numbers, on),
            at.steps.empty() ? "" : cut_to(concat("  ", progress_steps(at)), width)};
}

/// For a log, where nothing can be drawn over.
[[nodiscard]] inline std::string plain_progress(const progress& at) {
    const std::string steps = progress_steps(at);
    return concat(one_line(at.title), ": ", detail::standing(at), "  ",
                  at.total_known ? concat(static_cast<int>(percent(at.rows)), "%  ") : "",
                  progress_numbers(at), steps.empty() ? "" : concat("  (", steps, ')'));
}

[[nodiscard]] inline json_line json_progress(const progress& at) {
    std::vector<json_line> steps;
    for (const auto& [name, count] : at.steps)
        steps.push_back(json_line{}.add("step", name).add("count", count));
    json_line line = line_of("progress")
                         .add("id", to_text(at.id))
                         .add("state", at.state)
                         .add("paused", at.paused)
                         .add("total", at.total_known ? std::optional{at.rows.total} : std::nullopt)
                         .add("processed", at.rows.processed)
                         .add("succeeded", at.rows.successful)
                         .add("failed", at.rows.failed)
                         .add("waiting", at.waiting)
                         .add("percent", percent(at.rows))
                         .add("rows_per_second", at.rate);
    const auto left = at.left();
    line.add("eta_seconds", left ? std::optional{left->count()} : std::nullopt)
        .add("elapsed_ms",
             std::chrono::duration_cast<std::chrono::milliseconds>(at.elapsed).count())
        .add("steps", steps);
    return line;
}

/// Whether something else has happened than more of the same, or at least that.
[[nodiscard]] inline bool is_news(const progress& at, const progress& before) {
    return at.state != before.state || at.paused != before.paused;
}
[[nodiscard]] inline bool has_moved(const progress& at, const progress& before) {
    return at.rows != before.rows || at.waiting != before.waiting;
}
[[nodiscard]] inline tint tint_of(const progress& at) {
    return at.rows.failed > 0 ? tint::warning : tint::good;
}

}  // namespace bulk::cli
