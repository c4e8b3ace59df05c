// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/csv/scan_state.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/text_window.hpp>

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

    [[nodiscard]] bool is_nothing(std::string_view line) const;

    /// The record is the first, or not as wide as the others, or stands among some that have text
    /// behind a closing quote. None if the row has to be read again.
    [[nodiscard, gnu::noinline]] std::optional<found> examine();

    /// Where the row ends that begins there and cannot be right. None if it is what it was read as,
    /// but has to be read again, since the window has moved.
    [[nodiscard]] std::optional<found> judge(std::size_t begin, std::uint64_t line);

    /// The row is what the window has from `begin` on; the next one begins `next` bytes behind that.
    [[nodiscard]] found give_misquoted(std::size_t begin, std::uint64_t line, std::size_t next);

    /// Makes the window begin there, with nothing found in it yet.
    void start_at(std::size_t begin, std::uint64_t line);

    /// Reads on behind what is at hand, and makes the window larger if it is full.
    [[nodiscard]] result<> read_on();

    /// Keeps the row that has not ended yet, reads on behind it, and finds the structure anew: a
    /// row begins outside quotes, so there is no state to carry over.
    [[nodiscard, gnu::noinline]] found fill();

    /// Whether the row that has not ended yet has too many fields already.
    [[nodiscard]] bool is_too_wide();

    /// The first row of the window has no end that could be right. `record`: it is what it is.
    [[nodiscard]] std::optional<found> judge_unended();

    /// How far the window is read at once: memory is needed for all that is found.
    [[nodiscard]] std::size_t scan_end(std::size_t from) const;

    /// Which number of fields needs no second look; one field may be a blank line.
    void expect();

    [[nodiscard]] bool is_misquoted_next() const;

    /// The slicer has found it.
    [[nodiscard]] found give_known_misquoted();

    /// Nothing is left, but for a row over its limit that the slicer has found.
    [[nodiscard]] found end_of_text();

    /// The last row of a file needs no newline.
    void end_last_row();

    /// Looks for the end of a row that is over its limit, without keeping it. So much of the window
    /// was looked at.
    [[nodiscard]] found pass_over(std::size_t scanned);

    /// Looks once at the encoding of all rows at hand.
    [[nodiscard]] found checked(found what);

    [[nodiscard]] found failed(bulk::error error);

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

#ifndef BULK_COMPILED
#include <bulk/rows/csv/implementation.hpp>
#endif
