// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/structure.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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
        : text_{text}, ended_{ended}, is_cut_{is_cut}, dialect_{dialect}, width_{width} {}

    [[nodiscard]] misquote_verdict decide(misquote& found) {
        reading first = read_first();
        budget_ = 4 * first.end + std::size_t{64} * 1024;
        if (needs_more_) return misquote_verdict::more;
        found.field = field_ == none ? first.fields - 1 : field_;
        if (first.is_whole && first.fields == width_ && first.misplaced == none)
            return misquote_verdict::as_read;
        if (first.is_whole && field_ != none && closing_ == none) {  // the end of the file ends it
            closing_ = last_quote_;
            is_closed_well_ = true;
        }
        bool decided = ends_in_its_field(first, found);
        const bool is_wide = first.fields > width_ && field_ != none;  // it may not be read whole
        if (!decided && !needs_more_ && first.is_whole && !is_wide)
            decided = ends_without(first, found) || (!needs_more_ && is_joined(first, found));
        if (needs_more_) return misquote_verdict::more;
        return decided ? misquote_verdict::misquoted : misquote_verdict::as_read;
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t most_lines = 64;
    static constexpr std::size_t most_joined_lines = 16;
    static constexpr std::size_t enough_rows = 2;

    /// A row as the rules read it.
    struct reading {
        std::size_t end = 0;   ///< without what ends it
        std::size_t next = 0;  ///< where the next row begins
        std::size_t fields = 1;
        std::size_t misplaced = none;  ///< the field that has text behind its closing quote
        bool is_whole = false;         ///< it has an end
        bool never_closed = false;     ///< the file ends in a quoted field
        bool closes_nothing = false;   ///< a quote in front of an end that closes no field
        bool is_nothing = false;       ///< a blank line or a comment
    };

    [[nodiscard]] bool is_line_feed(std::size_t at) const {
        return at < text_.size() && text_[at] == '\n';
    }
    [[nodiscard]] bool is_end(std::size_t at) const {
        return at >= text_.size() || text_[at] == dialect_.delimiter || text_[at] == '\n' ||
               text_[at] == '\r';
    }
    [[nodiscard]] bool is_clean(const reading& row) const {
        return row.is_whole && row.fields == width_ && row.misplaced == none && !row.closes_nothing;
    }

    /// The end of the row without a carriage return that belongs to what ends it.
    [[nodiscard]] std::size_t without_return(std::size_t begin, std::size_t at) const {
        return at > begin && is_line_feed(at) && text_[at - 1] == '\r' ? at - 1 : at;
    }

    /// Called for each byte: its place, its role, and the state behind it. Ends when it says so.
    template <typename Visit>
    reading read(std::size_t begin, scan_state state, Visit visit, std::size_t as_text = none) {
        reading row;
        for (std::size_t i = begin; i < text_.size(); ++i) {
            ++examined_;
            if (i == as_text) state.may_open = false;
            const bool may_be_loose = text_[i] == dialect_.quote && dialect_.quote != '\0' &&
                                      !state.inside && !state.may_open && !state.after_quote &&
                                      !state.comment;
            row.closes_nothing |= may_be_loose && is_end(i + 1);
            const bool comment = state.comment;
            const auto role = role_of(text_[i], is_line_feed(i + 1), dialect_, state);
            if (role == byte_role::misplaced && row.misplaced == none)
                row.misplaced = row.fields - 1;
            row.fields += role == byte_role::field_end;
            const bool goes_on = visit(i, role, state, row);
            if (role == byte_role::row_end) {
                row.end = without_return(begin, i);
                row.next = i + 1;
                row.is_whole = true;
                row.is_nothing = comment || is_blank_row(begin, row);
                return row;
            }
            if (!goes_on) {
                row.end = row.next = i;
                return row;
            }
        }
        row.end = row.next = text_.size();
        row.is_whole = ended_ && !state.inside;
        row.never_closed = ended_ && state.inside;
        row.is_nothing = state.comment || is_blank_row(begin, row);
        if (!ended_ && !is_cut_) needs_more_ = true;
        return row;
    }

    [[nodiscard]] bool is_blank_row(std::size_t begin, const reading& row) const {
        const auto line = text_.substr(begin, row.end - begin);
        return row.fields == 1 && (dialect_.trim ? trimmed(line) : line).empty();
    }

    [[nodiscard]] reading read_first() {
        bool is_first_line = true, in_field = false, was_after_quote = false;
        std::size_t field = 0;
        return read(
            0, {},
            [&](std::size_t at, byte_role role, const scan_state& state, const reading& row) {
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

    /// The next row from there on that is one.
    [[nodiscard]] reading read_row(std::size_t begin) {
        while (true) {
            const reading row = read(
                begin, {}, [&](std::size_t, byte_role, const scan_state&, const reading& so_far) {
                    return so_far.fields <= width_ && so_far.misplaced == none &&
                           examined_ <= budget_;
                });
            if (!row.is_nothing || !row.is_whole || row.next == text_.size()) return row;
            begin = row.next;
        }
    }

    /// How many clean rows follow, up to `enough_rows`; the end of the file is as good as them.
    [[nodiscard]] std::size_t clean_rows(std::size_t begin) {
        for (std::size_t rows = 0; rows < enough_rows; ++rows) {
            if (begin == text_.size()) return ended_ ? enough_rows : more_or(rows);
            const reading row = read_row(begin);
            if (row.is_nothing && row.next == text_.size())
                return ended_ ? enough_rows : more_or(rows);
            if (!is_clean(row)) return rows;
            begin = row.next;
        }
        return enough_rows;
    }

    [[nodiscard]] std::size_t more_or(std::size_t rows) {
        if (!is_cut_ && !ended_) needs_more_ = true;
        return rows;
    }

    /// Whether rows, read from there on, treat the quote that closes the field as quotes should be.
    [[nodiscard]] bool gets_past_closing(std::size_t begin) {
        while (begin <= closing_ && examined_ <= budget_) {
            const reading row =
                read(begin, {}, [&](std::size_t, byte_role, const scan_state&, const reading&) {
                    return examined_ <= budget_;
                });
            if (!row.is_whole || row.closes_nothing || row.misplaced != none) return false;
            begin = row.next;
        }
        return examined_ <= budget_;
    }

    [[nodiscard]] bool ends_in_its_field(const reading& first, misquote& found) {
        std::size_t best = 0;
        for (const std::size_t line : lines_) {
            const std::size_t rows = clean_rows(line + 1);
            if (needs_more_) return false;
            if (examined_ > budget_) break;
            if (rows <= best) continue;
            if (is_closed_well_ && !gets_past_closing(line + 1)) {
                if (needs_more_) return false;
                continue;
            }
            best = rows;
            found = {.size = without_return(0, line), .next = line + 1, .field = field_};
            if (best == enough_rows) return true;
        }
        if (best > 0) return true;
        if (!first.never_closed) return false;
        found.size = found.next = text_.size();
        return true;
    }

    [[nodiscard]] bool ends_without(const reading& first, misquote& found) {
        if (first.misplaced == none || examined_ > budget_) return false;
        const reading row = read(
            0, {},
            [&](std::size_t, byte_role, const scan_state&, const reading& so_far) {
                return so_far.fields <= width_ && so_far.misplaced == none && examined_ <= budget_;
            },
            opening_);
        if (!row.is_whole || row.fields != width_ || row.misplaced != none ||
            row.next == first.next)
            return false;
        if (clean_rows(row.next) == 0 || needs_more_) return false;
        found = {.size = row.end, .next = row.next, .field = first.misplaced};
        return true;
    }

    [[nodiscard]] bool is_joined(const reading& first, misquote& found) {
        if (dialect_.quote == '\0') return false;
        const std::size_t fields = first.misplaced == none ? first.fields : first.misplaced + 1;
        if (fields > width_ || (first.misplaced == none && fields == width_)) return false;
        const std::array<char, 3> marks{'\r', '\n', dialect_.quote};
        // Most bad rows are followed by a good one; else most have no quotes behind them.
        if (first.next < text_.size() && is_clean(read_row(first.next))) return false;
        std::size_t line = first.next, quote = none;
        for (std::size_t lines = 0; quote == none; ++lines) {
            if (lines == most_joined_lines) return false;
            const std::size_t at =
                text_.find_first_of(std::string_view{marks.data(), marks.size()}, line);
            if (at == std::string_view::npos) return more_or(0) != 0;
            if (text_[at] == dialect_.quote)
                quote = at;
            else
                line = at + 1 + (text_[at] == '\r' && is_line_feed(at + 1));
        }
        for (std::size_t each = first.next; each <= line && !needs_more_ && examined_ <= budget_;) {
            if (is_clean(read_row(each))) return false;
            if (each == line) return closes(line, quote, fields, found);
            const std::size_t end = text_.find_first_of("\r\n", each);
            each = end + 1 + (text_[end] == '\r' && is_line_feed(end + 1));
        }
        return false;
    }

    /// Whether that quote closes a field of which the row before has the first part.
    [[nodiscard]] bool closes(std::size_t line, std::size_t quote, std::size_t fields,
                              misquote& found) {
        if (!is_end(quote + 1)) return false;
        const auto all = [](std::size_t, byte_role, const scan_state&, const reading&) {
            return true;
        };
        const reading alone = read(line, {}, all);
        const reading rest =
            read(quote + 1, {.may_open = false, .after_quote = true, .row_begins = false}, all);
        if (!alone.closes_nothing || alone.fields == width_) return false;
        if (!rest.is_whole || rest.misplaced != none || rest.closes_nothing ||
            fields + rest.fields - 1 != width_ || clean_rows(rest.next) == 0 || needs_more_)
            return false;
        found = {.size = rest.end, .next = rest.next, .field = fields - 1};
        return true;
    }

    std::string_view text_;
    bool ended_;
    bool is_cut_;
    const dialect& dialect_;
    std::size_t width_;
    std::vector<std::size_t> lines_;  ///< where lines end in the field
    std::size_t field_ = none;        ///< the quoted one in which the first line ends
    std::size_t opening_ = none;      ///< the quote of the field with text behind its closing one
    std::size_t last_quote_ = 0;
    std::size_t closing_ = none;
    bool is_closed_well_ = false;
    bool needs_more_ = false;
    std::size_t examined_ = 0;
    std::size_t budget_ = none;
};

}  // namespace bulk::csv
