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

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::csv {

/// Where a scan begins, when not at the beginning of the file.
struct scan_start {
    std::uint64_t line = 1;
    std::uint64_t offset = 0;
};

/// How a scan is carried out; the result is the same.
struct scan_tuning {
    std::size_t window = 64 * 1024;
    instruction_set set = best_instruction_set();
};

/// Bytes to records, through a window of fixed size that grows only for a row that does not fit, up
/// to the row limit. Blank lines and comments are passed over.
class scanner {
public:
    enum class found : std::uint8_t {
        record,
        too_long,  ///< a row over its limit was passed over
        end,
        failure,  ///< the file cannot be read on; see error()
    };

    explicit scanner(byte_source source, const dialect& dialect = {}, const row_limits& limits = {},
                     scan_start start = {}, const scan_tuning& tuning = {})
        : source_{std::move(source)},
          dialect_{dialect},
          limits_{limits},
          set_{tuning.set},
          window_{std::max<std::size_t>(tuning.window, 64)},
          window_line_{start.line},
          offset_{start.offset},
          at_file_begin_{start.offset == 0} {
        memory_ = source_.take_memory().value_or(std::string_view{});
    }

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
            record_ = {.text = data_,
                       .ends = &ends().field(first),
                       .quotes = structure_.has_quotes ? structure_.quotes.data() : nullptr,
                       .size = last - first,
                       .begin = begin_};
            begin_ = end + 1;
            if (data_ !=
                buffer_.data())  // the next window comes from memory while this one is used
                for (std::uint32_t at = record_.begin; at < begin_; at += 64)
                    __builtin_prefetch(data_ + at + window_);
            const std::uint32_t last_begin =
                record_.size == 1 ? record_.begin : ends().field(last - 2) + 1;
            if (end > last_begin && data_[end - 1] == '\r' && data_[end] == '\n') --end;
            if (record_.size == 1 && is_nothing(record_.whole())) continue;
            return found::record;
        }
    }

    [[nodiscard]] const record& current() const { return record_; }
    [[nodiscard]] const dialect& format() const { return dialect_; }
    /// The line in which the record begins, from 1. Counted when asked for: few rows are.
    [[nodiscard]] std::uint64_t line() const {
        return passed_over_ > 0 ? passed_line_
                                : window_line_ + row_ - 1 + newlines_before(record_.begin);
    }

    /// The record's place in the file, in bytes.
    [[nodiscard]] std::uint64_t offset() const { return offset_ + record_.begin; }

    /// Where the row begins that was found, be it a record or too long.
    [[nodiscard]] std::uint64_t begin() const {
        return passed_over_ > 0 ? offset_ + begin_ - passed_over_ : offset();
    }

    /// How far the file was read; its size, at the end.
    [[nodiscard]] std::uint64_t position() const { return offset_ + size_; }

    /// Whether the text around the record is ASCII only: then it is valid UTF-8.
    [[nodiscard]] bool is_ascii() const { return structure_.ascii; }

    /// How long the row was that was found to be too long.
    [[nodiscard]] std::uint64_t passed_over() const { return passed_over_; }

    [[nodiscard]] const bulk::error& error() const { return error_; }

private:
    [[nodiscard]] end_positions& ends() { return structure_.ends; }

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
            const std::size_t kept = size_ - begin_;
            window_line_ += row_ + newlines_before(begin_);
            row_ = 0;
            drop(begin_);
            if (kept > limits_.row_bytes) return pass_over();
            if (kept == window_) window_ = std::min(2 * kept, limits_.row_bytes + 1);
            if (auto read = read_on(); !read) return failed(std::move(read).error());
            find_structure(data_, size_ - held_back(), dialect_, set_, structure_);
            if (ended_ && structure_.state.inside && ends().row_count() == 0)
                return failed(unclosed_quote());
            if (ended_ && structure_.state.inside)
                ended_ = false;  // the rows before it come first
            else if (ended_)
                end_last_row();
            if (ends().row_count() > 0) return found::record;
        }
        return found::end;
    }

    /// Forgets the first bytes that are at hand.
    void drop(std::size_t count) {
        size_ -= count;
        if (count == 0) return;
        if (data_ == buffer_.data())
            std::memmove(buffer_.data(), buffer_.data() + count, size_);
        else
            data_ += count;
        offset_ += count;
        begin_ = 0;
    }

    /// Takes as much as the window holds, or finds the end. Text that is in memory is read where it
    /// is, but for its end, behind which nothing may be read.
    [[nodiscard]] result<> read_on() {
        const std::size_t more = window_ - size_;
        if (memory_.size() > more + padding) {
            if (data_ == nullptr) data_ = memory_.data();
            memory_.remove_prefix(more);
            size_ += more;
        } else {
            const bool is_elsewhere = data_ != buffer_.data();
            if (buffer_.size() < window_ + padding) buffer_.resize(window_ + padding);
            if (is_elsewhere && size_ > 0) std::memcpy(buffer_.data(), data_, size_);
            data_ = buffer_.data();
            const std::size_t copied = std::min(memory_.size(), more);
            if (copied > 0) std::memcpy(buffer_.data() + size_, memory_.data(), copied);
            memory_.remove_prefix(copied);
            size_ += copied;
            const auto got = source_.read({buffer_.data() + size_, window_ - size_});
            if (!got) return std::unexpected{got.error()};
            size_ += *got;
            ended_ = size_ < window_;
            std::memset(buffer_.data() + size_, 0, padding);
        }
        if (std::exchange(at_file_begin_, false) &&
            std::string_view{data_, size_}.starts_with("\xef\xbb\xbf"))
            drop(3);
        return {};
    }

    /// A carriage return at the end of the buffer may be half of a line end.
    [[nodiscard]] std::size_t held_back() const {
        return !ended_ && size_ > 0 && data_[size_ - 1] == '\r' ? 1 : 0;
    }

    /// The last row of a file needs no newline.
    void end_last_row() {
        const std::size_t rows = ends().row_count();
        const std::size_t ended =
            rows == 0 ? 0 : ends().field(ends().fields_up_to(rows - 1) - 1) + std::size_t{1};
        if (ended < size_) ends().put_row_end(size_);
    }

    /// Looks for the end of a row that is over its limit, without keeping it.
    [[nodiscard]] found pass_over() {
        passed_line_ = window_line_;
        const std::uint64_t begin = offset_;
        scan_state state;
        while (true) {
            find_structure(data_, size_ - held_back(), dialect_, set_, structure_, state);
            state = structure_.state;
            if (ends().row_count() > 0 || ended_) break;
            window_line_ += newlines_before(size_ - held_back());
            drop(size_ - held_back());
            if (auto read = read_on(); !read) return failed(std::move(read).error());
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
        if (begin_ > size_) begin_ = static_cast<std::uint32_t>(size_);
        passed_over_ = offset_ + begin_ - begin;
        return found::too_long;
    }

    [[nodiscard]] found failed(bulk::error error) {
        error_ = std::move(error);
        ended_ = true;
        return found::failure;
    }

    [[nodiscard]] bulk::error unclosed_quote() const {
        std::uint64_t line = window_line_, opened = line;
        scan_state state;
        for (std::size_t i = 0; i < size_; ++i) {
            const bool was_inside = state.inside || state.after_quote;
            const bool line_feed = i + 1 < size_ && data_[i + 1] == '\n';
            (void)role_of(data_[i], line_feed, dialect_, state);
            if (state.inside && !was_inside) opened = line;
            if (data_[i] == '\n' || (data_[i] == '\r' && !line_feed)) ++line;
        }
        return {errc::invalid_row, concat("a quote is never closed; it opened in line ", opened)};
    }

    byte_source source_;
    dialect dialect_;
    row_limits limits_;
    instruction_set set_;
    std::string_view memory_;  ///< what is left of a text in memory
    std::vector<char> buffer_;
    const char* data_ = nullptr;  ///< what is at hand: in the buffer, or where the text is
    std::size_t size_ = 0;        ///< of that
    std::size_t window_;          ///< how much that may be
    structure structure_;
    std::size_t row_ = 0;      ///< the next one at hand
    std::uint32_t begin_ = 0;  ///< of the next row
    record record_;
    std::uint64_t window_line_;  ///< of the first row at hand
    std::uint64_t passed_line_ = 0;
    std::uint64_t offset_;  ///< of data_ in the file
    std::uint64_t passed_over_ = 0;
    bool at_file_begin_;
    bool ended_ = false;
    bulk::error error_;
};

}  // namespace bulk::csv
