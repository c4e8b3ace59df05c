// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/screen.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::cli {

enum class align : std::uint8_t { left, right };

/// Lines of cells under their headings, each column as wide as its widest cell. On a terminal the
/// last column is cut where the line ends.
class table {
public:
    struct heading {
        std::string text{};
        align side = align::left;
    };
    struct cell {
        cell(std::string shown, tint tinted_as = tint::plain)
            : text{one_line(shown)}, color{tinted_as} {}
        cell(std::string_view shown, tint tinted_as = tint::plain)
            : cell{std::string{shown}, tinted_as} {}
        cell(const char* shown, tint tinted_as = tint::plain)
            : cell{std::string{shown}, tinted_as} {}

        std::string text;
        tint color;
    };

    /// Without headings none are shown.
    explicit table(std::vector<heading> headings, std::string_view indent = {})
        : headings_{std::move(headings)}, indent_{indent} {}

    void add(std::vector<cell> cells) {
        cells.resize(headings_.size(), cell{""});
        lines_.push_back(std::move(cells));
    }

    [[nodiscard]] bool is_empty() const { return lines_.empty(); }

    void write(const screen& on) const {
        std::vector<std::size_t> widths;
        for (std::size_t i = 0; i < headings_.size(); ++i) {
            std::size_t width = display_width(headings_[i].text);
            for (const auto& line : lines_) width = std::max(width, display_width(line[i].text));
            widths.push_back(width);
        }
        const bool has_headings =
            std::ranges::any_of(headings_, [](const heading& each) { return !each.text.empty(); });
        if (has_headings) {
            std::vector<cell> cells;
            for (const auto& each : headings_) cells.emplace_back(each.text, tint::faint);
            write_line(on, cells, widths);
        }
        for (const auto& line : lines_) write_line(on, line, widths);
    }

private:
    static constexpr std::string_view gap = "  ";

    void write_line(const screen& on, const std::vector<cell>& cells,
                    const std::vector<std::size_t>& widths) const {
        std::string line = indent_;
        std::size_t used = indent_.size();
        std::size_t last = cells.size();
        while (last > 0 && cells[last - 1].text.empty()) --last;  // no spaces at the end of a line
        for (std::size_t i = 0; i < last; ++i) {
            if (i > 0) line += gap;
            const bool ends = i + 1 == last;
            const std::size_t left = on.width > used ? on.width - used : 1;
            const std::string text =
                ends && on.is_terminal ? cut_to(cells[i].text, left) : cells[i].text;
            const std::string space = spaces_after(text, widths[i]);
            const std::string shown = tinted(on, cells[i].color, text);
            if (headings_[i].side == align::right)
                line.append(space).append(shown);
            else
                line.append(shown).append(ends ? "" : space);
            used += widths[i] + gap.size();
        }
        on.stream << line << '\n';
    }

    std::vector<heading> headings_;
    std::string indent_;
    std::vector<std::vector<cell>> lines_;
};

}  // namespace bulk::cli
