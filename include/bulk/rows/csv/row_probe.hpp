// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/scan_state.hpp>
#include <bulk/rows/csv/structure.hpp>

#include <cstddef>
#include <limits>
#include <string_view>

namespace bulk::csv {

/// A row as the rules of CSV read it.
struct row_reading {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::size_t end = 0;   ///< without what ends it
    std::size_t next = 0;  ///< where the next row begins
    std::size_t fields = 1;
    std::size_t misplaced = none;  ///< the field that has text behind its closing quote
    bool is_whole = false;         ///< it has an end
    bool never_closed = false;     ///< the file ends in a quoted field
    bool closes_nothing = false;   ///< a quote in front of an end that closes no field
    bool is_nothing = false;       ///< a blank line or a comment
};

/// Rows of a text one by one, read byte by byte: how many fields they have and what is wrong with their quotes.
/// Counts the bytes that it reads, since a text can be made so that they are many.
class row_probe {
public:
    static constexpr std::size_t enough_rows = 2;

    row_probe(std::string_view text, bool ended, bool is_cut, const dialect& dialect,
              std::size_t width)
        : text_{text}, ended_{ended}, is_cut_{is_cut}, dialect_{dialect}, width_{width} {}

    /// Whether it came to the end of the text, and more is to come.
    [[nodiscard]] bool needs_more() const { return needs_more_; }
    /// That more of the text would be needed, if there is more.
    void ask_for_more() { needs_more_ |= !is_cut_ && !ended_; }

    /// How many bytes may be read, with those that were read before.
    void set_budget(std::size_t bytes) { budget_ = bytes; }
    [[nodiscard]] bool is_in_budget() const { return examined_ <= budget_; }

    [[nodiscard]] bool is_line_feed(std::size_t at) const {
        return at < text_.size() && text_[at] == '\n';
    }
    [[nodiscard]] bool is_end(std::size_t at) const {
        return at >= text_.size() || text_[at] == dialect_.delimiter || text_[at] == '\n' ||
               text_[at] == '\r';
    }
    [[nodiscard]] bool is_clean(const row_reading& row) const {
        return row.is_whole && row.fields == width_ && row.misplaced == row_reading::none &&
               !row.closes_nothing;
    }

    /// The end of the row without a carriage return that belongs to what ends it.
    [[nodiscard]] std::size_t without_return(std::size_t begin, std::size_t at) const {
        return at > begin && is_line_feed(at) && text_[at - 1] == '\r' ? at - 1 : at;
    }

    /// Called for each byte: its place, its role, and the state behind it. Ends when it says so.
    template <typename Visit>
    row_reading read(std::size_t begin, scan_state state, Visit visit,
                     std::size_t as_text = row_reading::none) {
        row_reading row;
        for (std::size_t i = begin; i < text_.size(); ++i) {
            ++examined_;
            if (i == as_text) state.may_open = false;
            const bool may_be_loose = text_[i] == dialect_.quote && dialect_.quote != '\0' &&
                                      !state.inside && !state.may_open && !state.after_quote &&
                                      !state.comment;
            row.closes_nothing |= may_be_loose && is_end(i + 1);
            const bool comment = state.comment;
            const auto role = role_of(text_[i], is_line_feed(i + 1), dialect_, state);
            if (role == byte_role::misplaced && row.misplaced == row_reading::none)
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
        ask_for_more();
        return row;
    }

    /// The next row from there on that is one.
    [[nodiscard]] row_reading read_row(std::size_t begin) {
        while (true) {
            const row_reading row =
                read(begin, {},
                     [&](std::size_t, byte_role, const scan_state&, const row_reading& so_far) {
                         return so_far.fields <= width_ && so_far.misplaced == row_reading::none &&
                                is_in_budget();
                     });
            if (!row.is_nothing || !row.is_whole || row.next == text_.size()) return row;
            begin = row.next;
        }
    }

    /// How many clean rows follow, up to `enough_rows`; the end of the file is as good as them.
    [[nodiscard]] std::size_t clean_rows(std::size_t begin) {
        for (std::size_t rows = 0; rows < enough_rows; ++rows) {
            if (begin == text_.size()) return ended_ ? enough_rows : more_or(rows);
            const row_reading row = read_row(begin);
            if (row.is_nothing && row.next == text_.size())
                return ended_ ? enough_rows : more_or(rows);
            if (!is_clean(row)) return rows;
            begin = row.next;
        }
        return enough_rows;
    }

private:
    [[nodiscard]] bool is_blank_row(std::size_t begin, const row_reading& row) const {
        const auto line = text_.substr(begin, row.end - begin);
        return row.fields == 1 && (dialect_.trim ? trimmed(line) : line).empty();
    }

    [[nodiscard]] std::size_t more_or(std::size_t rows) {
        ask_for_more();
        return rows;
    }

    std::string_view text_;
    bool ended_;
    bool is_cut_;
    const dialect& dialect_;
    std::size_t width_;
    bool needs_more_ = false;
    std::size_t examined_ = 0;
    std::size_t budget_ = row_reading::none;
};

}  // namespace bulk::csv
