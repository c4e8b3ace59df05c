// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/row_probe.hpp>
#include <bulk/rows/csv/structure.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bulk::csv {

/// How many lines of a text end before the last quote in it that opens a field.
[[nodiscard]] inline std::uint64_t lines_before_open_quote(std::string_view text,
                                                           const dialect& dialect) {
    std::uint64_t lines = 0, before = 0;
    scan_state state;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool was_inside = state.inside || state.after_quote;
        const bool line_feed = i + 1 < text.size() && text[i + 1] == '\n';
        (void)role_of(text[i], line_feed, dialect, state);
        if (state.inside && !was_inside) before = lines;
        lines += text[i] == '\n' || (text[i] == '\r' && !line_feed);
    }
    return before;
}

/// A row whose quotes do not match, as far as can be told from the rows behind it.
struct misquote {
    std::size_t size = 0;   ///< of the row, without what ends it
    std::size_t next = 0;   ///< where the next row begins
    std::size_t field = 0;  ///< in which the quote stands, from 0
};

/// Whether the end of a row that cannot be right is to be believed.
enum class misquote_verdict : std::uint8_t {
    as_read,    ///< nothing says otherwise
    misquoted,  ///< the row ends elsewhere
    more,       ///< that cannot be told without more of the text
};

/// Decides where a row ends whose number of fields is wrong, that has text behind a closing quote,
/// or whose quote is never closed. One quote too many or too few makes a field run over the lines
/// behind it, or end too early; the rows behind it tell. A row is clean when it has `width` fields
/// and each quote begins or ends a field.
///
/// 1. The first line ends in a quoted field. Its opening quote may be text: the row ends with the
///    line, among the first 64 of the field, behind which the most clean rows follow. Two are
///    enough, so is the end of the file. Where the field is closed as it should be, what is read
///    instead must get past its closing quote without a quote that closes nothing.
/// 2. Text stands behind a closing quote. The opening quote of that field may be text: when the row
///    has `width` fields then, with text behind no quote, and a clean row follows.
/// 3. The row has too few fields. A line that follows and has, as its first quote, one that closes
///    nothing may be the end of it: when both together have `width` fields, and a clean row follows.
///
/// Else the row is what it was read as. `text` begins with the row and has no more than the longest
/// row may have; nothing is to come behind it if `ended`. What is decided depends on the text alone.
class misquote_judge {
public:
    misquote_judge(std::string_view text, bool ended, bool is_cut, const dialect& dialect,
                   std::size_t width)
        : rows_{text, ended, is_cut, dialect, width},
          text_{text},
          dialect_{dialect},
          width_{width} {}

    [[nodiscard]] misquote_verdict decide(misquote& found) {
        row_reading first = read_first();
        rows_.set_budget(4 * first.end + std::size_t{64} * 1024);
        if (rows_.needs_more()) return misquote_verdict::more;
        found.field = field_ == none ? first.fields - 1 : field_;
        if (first.is_whole && first.fields == width_ && first.misplaced == none)
            return misquote_verdict::as_read;
        if (first.is_whole && field_ != none && closing_ == none) {  // the end of the file ends it
            closing_ = last_quote_;
            is_closed_well_ = true;
        }
        bool decided = ends_in_its_field(first, found);
        const bool is_wide = first.fields > width_ && field_ != none;  // it may not be read whole
        if (!decided && !rows_.needs_more() && first.is_whole && !is_wide)
            decided =
                ends_without(first, found) || (!rows_.needs_more() && is_joined(first, found));
        if (rows_.needs_more()) return misquote_verdict::more;
        return decided ? misquote_verdict::misquoted : misquote_verdict::as_read;
    }

private:
    static constexpr std::size_t none = row_reading::none;
    static constexpr std::size_t most_lines = 64;
    static constexpr std::size_t most_joined_lines = 16;

    [[nodiscard]] row_reading read_first() {
        bool is_first_line = true, in_field = false, was_after_quote = false;
        std::size_t field = 0;
        return rows_.read(
            0, {},
            [&](std::size_t at, byte_role role, const scan_state& state, const row_reading& row) {
                const bool opens = state.inside && !in_field && !was_after_quote;
                if (opens && is_first_line) field = row.fields - 1;
                if (opens && row.misplaced == none) opening_ = at;
                in_field = state.inside;
                was_after_quote = state.after_quote;
                if (role == byte_role::quoted_newline) {
                    if (is_first_line) field_ = field;
                    is_first_line = false;
                    if (field_ == row.fields - 1 && closing_ == none && lines_.size() < most_lines)
                        lines_.push_back(at);
                }
                if (field_ == row.fields - 1 && closing_ == none) {
                    if (state.after_quote) last_quote_ = at;
                    if (role == byte_role::misplaced) closing_ = last_quote_;
                    is_closed_well_ = role == byte_role::row_end;
                } else if (field_ != none && closing_ == none) {
                    is_closed_well_ = true;
                }
                if (is_closed_well_ && closing_ == none) closing_ = last_quote_;
                // A row with too many fields is wrong wherever it ends.
                return row.fields <= width_ || is_first_line || closing_ == none;
            });
    }

    /// Whether rows, read from there on, treat the quote that closes the field as quotes should be.
    [[nodiscard]] bool gets_past_closing(std::size_t begin) {
        while (begin <= closing_ && rows_.is_in_budget()) {
            const row_reading row = rows_.read(
                begin, {}, [&](std::size_t, byte_role, const scan_state&, const row_reading&) {
                    return rows_.is_in_budget();
                });
            if (!row.is_whole || row.closes_nothing || row.misplaced != none) return false;
            begin = row.next;
        }
        return rows_.is_in_budget();
    }

    [[nodiscard]] bool ends_in_its_field(const row_reading& first, misquote& found) {
        std::size_t best = 0;
        for (const std::size_t line : lines_) {
            const std::size_t rows = rows_.clean_rows(line + 1);
            if (rows_.needs_more()) return false;
            if (!rows_.is_in_budget()) break;
            if (rows <= best) continue;
            if (is_closed_well_ && !gets_past_closing(line + 1)) {
                if (rows_.needs_more()) return false;
                continue;
            }
            best = rows;
            found = {.size = rows_.without_return(0, line), .next = line + 1, .field = field_};
            if (best == row_probe::enough_rows) return true;
        }
        if (best > 0) return true;
        if (!first.never_closed) return false;
        found.size = found.next = text_.size();
        return true;
    }

    [[nodiscard]] bool ends_without(const row_reading& first, misquote& found) {
        if (first.misplaced == none || !rows_.is_in_budget()) return false;
        const row_reading row = rows_.read(
            0, {},
            [&](std::size_t, byte_role, const scan_state&, const row_reading& so_far) {
                return so_far.fields <= width_ && so_far.misplaced == none && rows_.is_in_budget();
            },
            opening_);
        if (!row.is_whole || row.fields != width_ || row.misplaced != none ||
            row.next == first.next)
            return false;
        if (rows_.clean_rows(row.next) == 0 || rows_.needs_more()) return false;
        found = {.size = row.end, .next = row.next, .field = first.misplaced};
        return true;
    }

    [[nodiscard]] bool is_joined(const row_reading& first, misquote& found) {
        if (dialect_.quote == '\0') return false;
        const std::size_t fields = first.misplaced == none ? first.fields : first.misplaced + 1;
        if (fields > width_ || (first.misplaced == none && fields == width_)) return false;
        const std::array<char, 3> marks{'\r', '\n', dialect_.quote};
        // Most bad rows are followed by a good one; else most have no quotes behind them.
        if (first.next < text_.size() && rows_.is_clean(rows_.read_row(first.next))) return false;
        std::size_t line = first.next, quote = none;
        for (std::size_t lines = 0; quote == none; ++lines) {
            if (lines == most_joined_lines) return false;
            const std::size_t at =
                text_.find_first_of(std::string_view{marks.data(), marks.size()}, line);
            if (at == std::string_view::npos) {
                rows_.ask_for_more();
                return false;
            }
            if (text_[at] == dialect_.quote)
                quote = at;
            else
                line = at + 1 + (text_[at] == '\r' && rows_.is_line_feed(at + 1));
        }
        for (std::size_t each = first.next;
             each <= line && !rows_.needs_more() && rows_.is_in_budget();) {
            if (rows_.is_clean(rows_.read_row(each))) return false;
            if (each == line) return closes(line, quote, fields, found);
            const std::size_t end = text_.find_first_of("\r\n", each);
            each = end + 1 + (text_[end] == '\r' && rows_.is_line_feed(end + 1));
        }
        return false;
    }

    /// Whether that quote closes a field of which the row before has the first part.
    [[nodiscard]] bool closes(std::size_t line, std::size_t quote, std::size_t fields,
                              misquote& found) {
        if (!rows_.is_end(quote + 1)) return false;
        const auto all = [](std::size_t, byte_role, const scan_state&, const row_reading&) {
            return true;
        };
        const row_reading alone = rows_.read(line, {}, all);
        const row_reading rest = rows_.read(
            quote + 1, {.may_open = false, .after_quote = true, .row_begins = false}, all);
        if (!alone.closes_nothing || alone.fields == width_) return false;
        if (!rest.is_whole || rest.misplaced != none || rest.closes_nothing ||
            fields + rest.fields - 1 != width_ || rows_.clean_rows(rest.next) == 0 ||
            rows_.needs_more())
            return false;
        found = {.size = rest.end, .next = rest.next, .field = fields - 1};
        return true;
    }

    row_probe rows_;
    std::string_view text_;
    const dialect& dialect_;
    std::size_t width_;
    std::vector<std::size_t> lines_;  ///< where lines end in the field
    std::size_t field_ = none;        ///< the quoted one in which the first line ends
    std::size_t opening_ = none;      ///< the quote of the field with text behind its closing one
    std::size_t last_quote_ = 0;
    std::size_t closing_ = none;
    bool is_closed_well_ = false;
};

}  // namespace bulk::csv
