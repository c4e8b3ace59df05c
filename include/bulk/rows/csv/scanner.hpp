// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/blocks.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/misquote.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/csv/structure.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/utf8.hpp>
#include <bulk/rows/window.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace bulk::csv {

/// Bytes to records, through a window of fixed size that grows only for a row that does not fit, up
/// to the row limit. Blank lines and comments are passed over. The first record says how many fields
/// a row has; where one has another number, or quotes that do not match, the rows behind it say
/// where it ends (see `misquote_judge`).
class scanner {
public:
    static constexpr bool is_rfc_4180 = true;

    explicit scanner(byte_source source, const dialect& dialect = {}, const row_limits& limits = {},
                     scan_start start = {}, const scan_tuning& tuning = {})
        :  // No row over its limit fits, so whether it is one does not depend on the window.
          row_bytes_{std::max<std::size_t>(limits.row_bytes, 63)},
          base_{std::clamp<std::size_t>(tuning.window, 64, row_bytes_ + 1)},
          most_fields_{limits.columns},
          window_{std::move(source), base_, start.offset},
          dialect_{dialect},
          set_{tuning.set},
          window_line_{start.line},
          is_slice_{start.fields > 0},
          width_{start.fields},
          misquoted_{start.misquoted},
          too_long_{start.too_long} {}

    /// Moves to the next record.
    [[nodiscard]] found next() {
        special_line_ = 0;
        while (true) {
            if (row_ == ends().row_count()) {
                if (const auto filled = fill(); filled != found::record) return filled;
                continue;
            }
            const std::uint32_t first = row_ == 0 ? 0 : ends().fields_up_to(row_ - 1);
            const std::uint32_t last = ends().fields_up_to(row_++);
            std::uint32_t& end = ends().field(last - 1);
            const char* const data = window_.data();
            record_ = {.text = data,
                       .ends = &ends().field(first),
                       .quotes = structure_.has_quotes ? structure_.quotes.data() : nullptr,
                       .size = last - first,
                       .begin = begin_};
            move_to(end + 1);
            const std::uint32_t last_begin =
                record_.size == 1 ? record_.begin : ends().field(last - 2) + 1;
            if (end > last_begin && data[end - 1] == '\r' && data[end] == '\n') --end;
            if (record_.size == expected_) [[likely]]
                return found::record;
            if (record_.size == 1 && is_nothing(record_.whole())) continue;
            if (is_only_column_ && record_.size == 1) return found::record;
            if (const auto what = examine()) return *what;
        }
    }

    /// Goes past up to so many records that are at hand already; how many that were. There is no
    /// current one then. What may be a blank line, a comment or no record is left to `next`.
    [[nodiscard]] std::uint64_t pass(std::uint64_t records) {
        const auto most = std::min<std::uint64_t>(records, ends().row_count() - row_);
        const std::size_t last = row_ + static_cast<std::size_t>(most);
        std::size_t row = row_;
        for (std::uint32_t before = row == 0 ? 0 : ends().fields_up_to(row - 1); row < last;
             ++row) {
            const std::uint32_t fields = ends().fields_up_to(row) - before;
            if (fields != expected_) break;
            before += fields;
        }
        const std::uint64_t passed = row - row_;
        if (passed > 0) move_to(ends().field(ends().fields_up_to(row - 1) - 1) + 1);
        row_ = row;
        return passed;
    }

    [[nodiscard]] const record& current() const { return record_; }
    [[nodiscard]] const dialect& format() const { return dialect_; }
    /// The line in which the record begins, from 1. Counted when asked for: few rows are.
    [[nodiscard]] std::uint64_t line() const {
        return special_line_ > 0
                   ? special_line_
                   : window_line_ + row_ - 1 + structure_.newlines_before(record_.begin);
    }

    /// The record's place in the file, in bytes.
    [[nodiscard]] std::uint64_t offset() const { return window_.offset() + record_.begin; }

    /// Where the row begins that was found, be it a record or none.
    [[nodiscard]] std::uint64_t begin() const {
        return passed_over() > 0 ? window_.offset() + begin_ - passed_over_ : offset();
    }

    /// How far the file was read; its size, at the end.
    [[nodiscard]] std::uint64_t position() const { return window_.offset() + window_.size(); }

    /// Whether the text around the record is valid UTF-8; if not, it may still be so itself.
    [[nodiscard]] bool is_valid_text() const { return is_valid_text_; }

    /// How long the row was that was found to be too long.
    [[nodiscard]] std::uint64_t passed_over() const { return special_line_ > 0 ? passed_over_ : 0; }

    /// How many fields a record of a wrong size has more, which are not known by their ends.
    [[nodiscard]] std::size_t left_out() const { return left_out_; }

    /// The row that was found to be misquoted: its one field is all of it.
    [[nodiscard]] const misquoted_row& misquoted() const { return misquoted_; }

    [[nodiscard]] const bulk::error& error() const { return error_; }

private:
    [[nodiscard]] end_positions& ends() { return structure_.ends; }

    /// The next row begins there. The next part comes from memory while this one is used.
    void move_to(std::uint32_t begin) {
        if (window_.is_in_place())
            for (std::uint32_t at = begin_; at < begin; at += 64)
                __builtin_prefetch(window_.data() + at + window_.capacity());
        begin_ = begin;
    }

    [[nodiscard]] bool is_nothing(std::string_view line) const {
        if (dialect_.trim) line = trimmed(line);
        return line.empty() || (dialect_.comment != '\0' && line.front() == dialect_.comment);
    }

    /// The record is the first, or not as wide as the others, or stands among some that have text
    /// behind a closing quote. None if the row has to be read again.
    [[nodiscard, gnu::noinline]] std::optional<found> examine() {
        left_out_ = row_ == 1 ? fields_left_out_ : 0;
        if (is_slice_ || judged_at_ == offset()) return found::record;
        if (width_ == 0) {
            width_ = record_.size + left_out_;
            expect();
            return found::record;
        }
        return judge(record_.begin, line());
    }

    /// Where the row ends that begins there and cannot be right. None if it is what it was read as,
    /// but has to be read again, since the window has moved.
    [[nodiscard]] std::optional<found> judge(std::size_t begin, std::uint64_t line) {
        bool is_moved = false;
        while (true) {
            std::string_view text = window_.text().substr(begin, row_bytes_ + 1);
            const bool is_cut = text.size() == row_bytes_ + 1;
            const bool ended = !is_cut && window_.has_ended();
            if (!is_cut && !ended && text.ends_with('\r')) text.remove_suffix(1);
            misquote found_here;
            misquote_judge judge{text, ended, is_cut, dialect_, width_};
            const auto verdict = judge.decide(found_here);
            if (verdict == misquote_verdict::misquoted) {
                misquoted_ = {.offset = window_.offset() + begin,
                              .size = found_here.size,
                              .field = found_here.field};
                return give_misquoted(begin, line, found_here.next);
            }
            if (verdict == misquote_verdict::as_read) {
                judged_at_ = window_.offset() + begin;
                judged_field_ = found_here.field;
                return is_moved ? std::nullopt : std::optional{found::record};
            }
            if (!std::exchange(is_moved, true)) start_at(begin, line);
            begin = 0;
            if (auto read = read_on(); !read) return failed(std::move(read).error());
        }
    }

    /// The row is what the window has from `begin` on; the next one begins `next` bytes behind that.
    [[nodiscard]] found give_misquoted(std::size_t begin, std::uint64_t line, std::size_t next) {
        const auto from = static_cast<std::uint32_t>(begin);
        const auto end = from + static_cast<std::uint32_t>(misquoted_.size);
        structure_.clear();
        ends().put_row_end(end);
        record_ = {.text = window_.data(),
                   .ends = &ends().field(0),
                   .quotes = nullptr,
                   .size = 1,
                   .begin = from};
        special_line_ = line;
        passed_over_ = 0;
        window_line_ = line + count_line_ends(window_.text().substr(begin, next));
        begin_ = from + static_cast<std::uint32_t>(next);
        row_ = 0;
        structure_.clear();
        // The rest of the window is read anew: less of it at first, since one may follow the other.
        chunk_ = std::min<std::size_t>(base_, 4096);
        return found::misquoted;
    }

    /// Makes the window begin there, with nothing found in it yet.
    void start_at(std::size_t begin, std::uint64_t line) {
        window_.drop(std::min(begin, window_.size()));  // no newline may end the last row
        window_line_ = line;
        begin_ = 0;
        row_ = 0;
        structure_.clear();
    }

    /// Reads on behind what is at hand, and makes the window larger if it is full.
    [[nodiscard]] result<> read_on() {
        if (window_.size() >= window_.capacity())
            window_.grow(2 * window_.size() < row_bytes_ ? 2 * window_.size()
                                                         : row_bytes_ + std::size_t{2} * 64);
        return window_.read_on();
    }

    /// Keeps the row that has not ended yet, reads on behind it, and finds the structure anew: a
    /// row begins outside quotes, so there is no state to carry over.
    [[nodiscard, gnu::noinline]] found fill() {
        start_at(begin_, window_line_ + row_ + structure_.newlines_before(begin_));
        if (failed_) return found::failure;
        window_.shrink(base_);
        if (window_.size() < chunk_)
            if (auto read = window_.read_on(); !read) return failed(std::move(read).error());
        if (is_misquoted_next()) return give_known_misquoted();
        fields_left_out_ = 0;
        std::size_t scanned = 0;
        while (true) {
            const std::size_t to = scan_end(scanned);
            find_structure(window_.data(), scanned, to, dialect_, set_, structure_);
            scanned = to;
            const bool at_end = window_.has_ended() && to == window_.size();
            const bool is_inside = structure_.state.inside;
            if (at_end && !is_inside) end_last_row();
            const bool has_row = ends().row_count() > 0;
            if (at_end && !is_inside && !has_row) return end_of_text();
            const bool too_long =
                (has_row ? ends().field(ends().fields_up_to(0) - 1) : scanned) > row_bytes_;
            if (has_row && !too_long) break;
            if (too_long || (at_end && is_inside) || is_too_wide()) {
                const auto what = judge_unended();
                if (what && *what != found::record) return *what;
                if (!what) {  // the window has moved
                    scanned = 0;
                    fields_left_out_ = 0;
                    continue;
                }
            }
            if (too_long) return pass_over(scanned);
            if (at_end && (width_ == 0 || is_slice_))
                return failed(
                    {errc::invalid_row,
                     concat("a quote is never closed; it opened in line ",
                            window_line_ + lines_before_open_quote(window_.text(), dialect_))});
            if (at_end) {
                misquoted_ = {
                    .offset = window_.offset(), .size = window_.size(), .field = judged_field_};
                return give_misquoted(0, window_line_, window_.size());
            }
            if (ends().field_count() > most_fields_) {
                fields_left_out_ += ends().field_count() - most_fields_;
                ends().keep_fields(most_fields_);
            }
            if (window_.size() <= scanned + 64)
                if (auto read = read_on(); !read) return failed(std::move(read).error());
        }
        chunk_ = std::min(2 * chunk_, base_);
        expect();
        return checked(found::record);
    }

    /// Whether the row that has not ended yet has too many fields already.
    [[nodiscard]] bool is_too_wide() {
        return ends().row_count() == 0 && ends().field_count() + fields_left_out_ >= width_;
    }

    /// The first row of the window has no end that could be right. `record`: it is what it is.
    [[nodiscard]] std::optional<found> judge_unended() {
        if (width_ == 0 || is_slice_ || !structure_.has_quotes || judged_at_ == window_.offset())
            return found::record;
        return judge(0, window_line_);
    }

    /// How far the window is read at once: memory is needed for all that is found.
    [[nodiscard]] std::size_t scan_end(std::size_t from) const {
        std::size_t end = window_.size();
        if (end == 0) return 0;
        if (misquoted_.size > 0 && is_slice_ && misquoted_.offset >= window_.offset())
            end = std::min<std::uint64_t>(end, misquoted_.offset - window_.offset());
        const bool is_all = end < window_.size() || window_.has_ended();
        if (is_all && end <= from + chunk_) return end;
        // The byte behind it is looked at.
        const std::size_t most = std::min(end - 1, from + std::max<std::size_t>(chunk_, 64));
        return std::max(from, most / 64 * 64);
    }

    /// Which number of fields needs no second look; one field may be a blank line.
    void expect() {
        constexpr auto none = std::numeric_limits<std::size_t>::max();
        const bool needs_look = structure_.has_misplaced && !is_slice_;
        expected_ = width_ < 2 || needs_look ? none : width_;
        is_only_column_ = width_ == 1 && !needs_look;
    }

    [[nodiscard]] bool is_misquoted_next() const {
        return is_slice_ && misquoted_.size > 0 && misquoted_.offset == window_.offset();
    }

    /// The slicer has found it.
    [[nodiscard]] found give_known_misquoted() {
        while (window_.size() < misquoted_.size + 2 && !window_.has_ended())
            if (auto read = read_on(); !read) return failed(std::move(read).error());
        const std::string_view behind = window_.text().substr(misquoted_.size);
        return give_misquoted(0, window_line_,
                              misquoted_.size + (behind.starts_with("\r\n") ? 2 : !behind.empty()));
    }

    /// Nothing is left, but for a row over its limit that the slicer has found.
    [[nodiscard]] found end_of_text() {
        if (too_long_.size == 0) return found::end;
        special_line_ = too_long_.line;
        passed_over_ = std::exchange(too_long_, {}).size;
        return found::too_long;
    }

    /// The last row of a file needs no newline.
    void end_last_row() {
        const std::size_t rows = ends().row_count();
        const std::size_t ended =
            rows == 0 ? 0 : ends().field(ends().fields_up_to(rows - 1) - 1) + std::size_t{1};
        if (ended < window_.size()) ends().put_row_end(window_.size());
    }

    /// Looks for the end of a row that is over its limit, without keeping it. So much of the window
    /// was looked at.
    [[nodiscard]] found pass_over(std::size_t scanned) {
        const std::uint64_t line = window_line_;
        const std::uint64_t begin = window_.offset();
        while (ends().row_count() == 0) {
            if (window_.has_ended() && scanned == window_.size()) {
                if (structure_.state.inside && width_ == 0)
                    return failed(
                        {errc::invalid_row,
                         concat("a quote is never closed; its row begins in line ", line)});
                ends().put_row_end(window_.size());
                break;
            }
            window_line_ += structure_.newlines_before(scanned);
            window_.drop(scanned);
            const scan_state state = structure_.state;
            structure_.clear();
            structure_.state = state;
            window_.shrink(std::max<std::size_t>(base_, 128));  // more than what is held back
            if (auto read = window_.read_on(); !read) return failed(std::move(read).error());
            scanned = scan_end(0);
            find_structure(window_.data(), 0, scanned, dialect_, set_, structure_);
        }
        begin_ = ends().field(ends().fields_up_to(row_++) - 1) + 1;
        begin_ = std::min(begin_, static_cast<std::uint32_t>(window_.size()));
        special_line_ = line;
        passed_over_ = window_.offset() + begin_ - begin;
        expect();
        return checked(found::too_long);
    }

    /// Looks once at the encoding of all rows at hand.
    [[nodiscard]] found checked(found what) {
        const std::size_t end = ends().field(ends().fields_up_to(ends().row_count() - 1) - 1);
        is_valid_text_ = structure_.ascii || is_valid_utf8({window_.data(), end});
        return what;
    }

    [[nodiscard]] found failed(bulk::error error) {
        error_ = std::move(error);
        failed_ = true;
        return found::failure;
    }

    std::size_t row_bytes_;
    std::size_t base_;           ///< what the window holds, unless a row is longer
    std::size_t chunk_ = base_;  ///< what is looked at in one go
    std::size_t most_fields_;    ///< of one row; no more are kept
    text_window window_;
    dialect dialect_;
    instruction_set set_;
    structure structure_;
    std::size_t row_ = 0;      ///< the next one at hand
    std::uint32_t begin_ = 0;  ///< of the next row
    record record_;
    std::uint64_t window_line_;       ///< of the first row at hand
    std::uint64_t special_line_ = 0;  ///< of the row that was found, if it is no record
    std::uint64_t passed_over_ = 0;
    bool is_valid_text_ = true;
    bool is_slice_;
    bool failed_ = false;
    /// A row that is to be taken as it is read, though it cannot be right.
    std::uint64_t judged_at_ = std::numeric_limits<std::uint64_t>::max();
    std::size_t judged_field_ = 0;
    std::size_t width_;  ///< in fields; 0: not known yet
    std::size_t expected_ = 0;
    bool is_only_column_ = false;
    std::size_t fields_left_out_ = 0;  ///< of the first row at hand
    std::size_t left_out_ = 0;         ///< of the current one
    misquoted_row misquoted_;
    too_long_row too_long_;
    bulk::error error_;
};
static_assert(record_scanner<scanner>);

}  // namespace bulk::csv
