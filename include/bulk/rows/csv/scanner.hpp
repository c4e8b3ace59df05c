// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/blocks.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/structure.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/utf8.hpp>
#include <bulk/rows/window.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bulk::csv {

/// How a scan is carried out; the result is the same.
struct scan_tuning {
    std::size_t window = 64 * 1024;
    instruction_set set = best_instruction_set();
};

/// Finds the records of a text: what a reader needs. One that reads less than RFC 4180 says so.
template <typename Scanner>
concept record_scanner =
    std::movable<Scanner> &&
    std::constructible_from<Scanner, byte_source, const dialect&, const row_limits&, scan_start,
                            const scan_tuning&> &&
    requires(Scanner& scanner, const Scanner& same) {
        { Scanner::is_rfc_4180 } -> std::convertible_to<bool>;
        { scanner.next() } -> std::same_as<found>;
        { same.current() } -> std::same_as<const record&>;
        { same.format() } -> std::same_as<const dialect&>;
        { same.line() } -> std::same_as<std::uint64_t>;
        { same.is_valid_text() } -> std::same_as<bool>;
        { same.passed_over() } -> std::same_as<std::uint64_t>;
        { same.error() } -> std::same_as<const bulk::error&>;
    };

/// Bytes to records, through a window of fixed size that grows only for a row that does not fit, up
/// to the row limit. Blank lines and comments are passed over.
class scanner {
public:
    static constexpr bool is_rfc_4180 = true;

    explicit scanner(byte_source source, const dialect& dialect = {}, const row_limits& limits = {},
                     scan_start start = {}, const scan_tuning& tuning = {})
        :  // No row over its limit fits, so whether it is one does not depend on the window.
          window_{std::move(source), std::min(tuning.window, limits.row_bytes + 1), start.offset},
          dialect_{dialect},
          limits_{limits},
          set_{tuning.set},
          window_line_{start.line} {}

    /// Moves to the next record.
    [[nodiscard]] found next() {
        passed_over_ = 0;
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
            if (record_.size == 1 && is_nothing(record_.whole())) continue;
            return found::record;
        }
    }

    /// Goes past up to so many records that are at hand already; how many that were. There is no
    /// current one then. What may be a blank line or a comment is left to `next`.
    [[nodiscard]] std::uint64_t pass(std::uint64_t records) {
        const auto most = std::min<std::uint64_t>(records, ends().row_count() - row_);
        const std::size_t last = row_ + static_cast<std::size_t>(most);
        std::size_t row = row_;
        for (std::uint32_t before = row == 0 ? 0 : ends().fields_up_to(row - 1); row < last;
             ++row) {
            const std::uint32_t fields = ends().fields_up_to(row) - before;
            if (fields == 1) break;
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
        return passed_over_ > 0 ? passed_line_
                                : window_line_ + row_ - 1 + newlines_before(record_.begin);
    }

    /// The record's place in the file, in bytes.
    [[nodiscard]] std::uint64_t offset() const { return window_.offset() + record_.begin; }

    /// Where the row begins that was found, be it a record or too long.
    [[nodiscard]] std::uint64_t begin() const {
        return passed_over_ > 0 ? window_.offset() + begin_ - passed_over_ : offset();
    }

    /// How far the file was read; its size, at the end.
    [[nodiscard]] std::uint64_t position() const { return window_.offset() + window_.size(); }

    /// Whether the text around the record is valid UTF-8; if not, it may still be so itself.
    [[nodiscard]] bool is_valid_text() const { return is_valid_text_; }

    /// How long the row was that was found to be too long.
    [[nodiscard]] std::uint64_t passed_over() const { return passed_over_; }

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

    /// How many newlines of the window are part of a field before `position`.
    [[nodiscard]] std::uint64_t newlines_before(std::size_t position) const {
        if (!structure_.has_quotes) return 0;
        const auto& bits = structure_.quoted_newlines;
        std::uint64_t count = 0;
        for (std::size_t word = 0; word < position / 64; ++word)
            count += static_cast<std::uint64_t>(std::popcount(bits[word]));
        const std::uint64_t rest = (std::uint64_t{1} << position % 64) - 1;
        return count + static_cast<std::uint64_t>(std::popcount(bits[position / 64] & rest));
    }

    /// Keeps the row that has not ended yet, reads on behind it, and finds the structure anew: a
    /// row begins outside quotes, so there is no state to carry over.
    [[nodiscard]] found fill() {
        while (!ended_) {
            const std::size_t kept = window_.size() - begin_;
            window_line_ += row_ + newlines_before(begin_);
            row_ = 0;
            window_.drop(std::exchange(begin_, 0U));
            if (kept > limits_.row_bytes) return pass_over();
            if (kept == window_.capacity()) window_.grow(std::min(2 * kept, limits_.row_bytes + 1));
            if (auto read = window_.read_on(); !read) return failed(std::move(read).error());
            ended_ = window_.has_ended();
            find_structure(window_.data(), window_.size() - held_back(), dialect_, set_,
                           structure_);
            if (ended_ && structure_.state.inside && ends().row_count() == 0)
                return failed(unclosed_quote());
            if (ended_ && structure_.state.inside)
                ended_ = false;  // the rows before it come first
            else if (ended_)
                end_last_row();
            if (ends().row_count() > 0) return checked(found::record);
        }
        return found::end;
    }

    /// A carriage return at the end of the buffer may be half of a line end.
    [[nodiscard]] std::size_t held_back() const {
        return !ended_ && window_.text().ends_with('\r') ? 1 : 0;
    }

    /// The last row of a file needs no newline.
    void end_last_row() {
        const std::size_t rows = ends().row_count();
        const std::size_t ended =
            rows == 0 ? 0 : ends().field(ends().fields_up_to(rows - 1) - 1) + std::size_t{1};
        if (ended < window_.size()) ends().put_row_end(window_.size());
    }

    /// Looks for the end of a row that is over its limit, without keeping it.
    [[nodiscard]] found pass_over() {
        passed_line_ = window_line_;
        const std::uint64_t begin = window_.offset();
        scan_state state;
        while (true) {
            find_structure(window_.data(), window_.size() - held_back(), dialect_, set_, structure_,
                           state);
            state = structure_.state;
            if (ends().row_count() > 0 || ended_) break;
            window_line_ += newlines_before(window_.size() - held_back());
            window_.drop(window_.size() - held_back());
            if (auto read = window_.read_on(); !read) return failed(std::move(read).error());
            ended_ = window_.has_ended();
        }
        if (ended_ && ends().row_count() == 0 && state.inside)
            return failed(
                {errc::invalid_row,
                 concat("a quote is never closed; its row begins in line ", passed_line_)});
        if (ended_ && state.inside)
            ended_ = false;  // there are rows before it
        else if (ended_)
            end_last_row();
        begin_ = ends().field(ends().fields_up_to(row_++) - 1) + 1;
        begin_ = std::min(begin_, static_cast<std::uint32_t>(window_.size()));
        passed_over_ = window_.offset() + begin_ - begin;
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
        ended_ = true;
        return found::failure;
    }

    [[nodiscard]] bulk::error unclosed_quote() const {
        std::uint64_t line = window_line_, opened = line;
        scan_state state;
        const std::string_view text = window_.text();
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool was_inside = state.inside || state.after_quote;
            const bool line_feed = i + 1 < text.size() && text[i + 1] == '\n';
            (void)role_of(text[i], line_feed, dialect_, state);
            if (state.inside && !was_inside) opened = line;
            if (text[i] == '\n' || (text[i] == '\r' && !line_feed)) ++line;
        }
        return {errc::invalid_row, concat("a quote is never closed; it opened in line ", opened)};
    }

    text_window window_;
    dialect dialect_;
    row_limits limits_;
    instruction_set set_;
    structure structure_;
    std::size_t row_ = 0;      ///< the next one at hand
    std::uint32_t begin_ = 0;  ///< of the next row
    record record_;
    std::uint64_t window_line_;  ///< of the first row at hand
    std::uint64_t passed_line_ = 0;
    std::uint64_t passed_over_ = 0;
    bool is_valid_text_ = true;
    bool ended_ = false;
    bulk::error error_;
};
static_assert(record_scanner<scanner>);

}  // namespace bulk::csv
