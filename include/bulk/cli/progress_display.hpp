// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/screen.hpp>
#include <bulk/core/clock.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace bulk::cli {

/// Shows how far something is while it goes on: a bar that is drawn over and over on a terminal, now
/// and then a line elsewhere, and an object a line for machines. Everything but the objects goes to
/// the error stream, so that the answer can be redirected. How it looks is said beside `Progress`.
template <typename Progress>
class progress_display {
public:
    explicit progress_display(const invocation& program) : program_{program} {}
    progress_display(const progress_display&) = delete;
    progress_display& operator=(const progress_display&) = delete;
    ~progress_display() { clear(); }

    void show(const Progress& at) {
        if (program_.settings().json) {
            if (is_due(at, std::chrono::seconds{1})) program_.print(json_progress(at));
            program_.out().stream.flush();
        } else if (program_.err().is_terminal) {
            draw(at);
        } else if (is_due(at, std::chrono::seconds{10})) {
            program_.err().stream << plain_progress(at) << '\n' << std::flush;
        }
    }

    /// Says what came up meanwhile, above the bar.
    void tell(const std::vector<std::string>& lines) {
        if (lines.empty()) return;
        clear();
        for (const auto& line : lines) program_.remark(line);
    }

    /// Leaves the line of the bar to whatever is said next.
    void clear() {
        if (!is_drawn_) return;
        const screen& on = program_.err();
        if (on.has_color)
            on.stream << "\r\x1b[J" << std::flush;
        else
            on.stream << '\r' << std::string(on.width > 1 ? on.width - 1 : 0, ' ') << '\r'
                      << std::flush;
        is_drawn_ = false;
    }

private:
    /// A line when something else happens than more of the same, and else as rarely as that.
    [[nodiscard]] bool is_due(const Progress& at, std::chrono::seconds interval) {
        const auto now = program_.now();
        if (last_ && !is_news(at, *last_) &&
            now - shown_at_ < (has_moved(at, *last_) ? interval : interval * 6))
            return false;
        shown_at_ = now;
        last_ = at;
        return true;
    }

    void draw(const Progress& at) {
        const screen& on = program_.err();
        const auto [line, more] = bar_lines(at, on);
        if (on.has_color) {
            on.stream << "\r\x1b[J" << tinted(on, tint_of(at), line);
            if (!more.empty())  // and back to the first of the two lines
                on.stream << '\n' << tinted(on, tint::faint, more) << "\x1b[1A";
            on.stream << '\r' << std::flush;
        } else {
            on.stream << '\r' << line << spaces_after(line, on.width > 1 ? on.width - 1 : 0)
                      << std::flush;
        }
        is_drawn_ = true;
    }

    const invocation& program_;
    std::optional<Progress> last_;
    timestamp shown_at_{};
    bool is_drawn_ = false;
};

}  // namespace bulk::cli
