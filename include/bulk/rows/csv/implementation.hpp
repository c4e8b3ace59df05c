// SPDX-License-Identifier: MIT
#pragma once

// How records are found in the text of a CSV file: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/detect_implementation.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/misquote.hpp>
#include <bulk/rows/csv/positions.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/scanner.hpp>
#include <bulk/rows/csv/structure.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk::csv {

BULK_INLINE bool scanner::is_nothing(std::string_view line) const {
    if (dialect_.trim) line = trimmed(line);
    return line.empty() || (dialect_.comment != '\0' && line.front() == dialect_.comment);
}

BULK_INLINE std::optional<found> scanner::examine() {
    left_out_ = row_ == 1 ? fields_left_out_ : 0;
    if (is_slice_ || judged_at_ == offset()) return found::record;
    if (width_ == 0) {
        width_ = record_.size + left_out_;
        expect();
        return found::record;
    }
    return judge(record_.begin, line());
}

BULK_INLINE std::optional<found> scanner::judge(std::size_t begin, std::uint64_t line) {
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

BULK_INLINE found scanner::give_misquoted(std::size_t begin, std::uint64_t line, std::size_t next) {
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

BULK_INLINE void scanner::start_at(std::size_t begin, std::uint64_t line) {
    window_.drop(std::min(begin, window_.size()));  // no newline may end the last row
    window_line_ = line;
    begin_ = 0;
    row_ = 0;
    structure_.clear();
}

BULK_INLINE result<> scanner::read_on() {
    if (window_.size() >= window_.capacity())
        window_.grow(2 * window_.size() < row_bytes_ ? 2 * window_.size()
                                                     : row_bytes_ + std::size_t{2} * 64);
    return window_.read_on();
}

BULK_INLINE found scanner::fill() {
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

BULK_INLINE bool scanner::is_too_wide() {
    return ends().row_count() == 0 && ends().field_count() + fields_left_out_ >= width_;
}

BULK_INLINE std::optional<found> scanner::judge_unended() {
    if (width_ == 0 || is_slice_ || !structure_.has_quotes || judged_at_ == window_.offset())
        return found::record;
    return judge(0, window_line_);
}

BULK_INLINE std::size_t scanner::scan_end(std::size_t from) const {
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

BULK_INLINE void scanner::expect() {
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    const bool needs_look = structure_.has_misplaced && !is_slice_;
    expected_ = width_ < 2 || needs_look ? none : width_;
    is_only_column_ = width_ == 1 && !needs_look;
}

BULK_INLINE bool scanner::is_misquoted_next() const {
    return is_slice_ && misquoted_.size > 0 && misquoted_.offset == window_.offset();
}

BULK_INLINE found scanner::give_known_misquoted() {
    while (window_.size() < misquoted_.size + 2 && !window_.has_ended())
        if (auto read = read_on(); !read) return failed(std::move(read).error());
    const std::string_view behind = window_.text().substr(misquoted_.size);
    return give_misquoted(0, window_line_,
                          misquoted_.size + (behind.starts_with("\r\n") ? 2 : !behind.empty()));
}

BULK_INLINE found scanner::end_of_text() {
    if (too_long_.size == 0) return found::end;
    special_line_ = too_long_.line;
    passed_over_ = std::exchange(too_long_, {}).size;
    return found::too_long;
}

BULK_INLINE void scanner::end_last_row() {
    const std::size_t rows = ends().row_count();
    const std::size_t ended =
        rows == 0 ? 0 : ends().field(ends().fields_up_to(rows - 1) - 1) + std::size_t{1};
    if (ended < window_.size()) ends().put_row_end(window_.size());
}

BULK_INLINE found scanner::pass_over(std::size_t scanned) {
    const std::uint64_t line = window_line_;
    const std::uint64_t begin = window_.offset();
    while (ends().row_count() == 0) {
        if (window_.has_ended() && scanned == window_.size()) {
            if (structure_.state.inside && width_ == 0)
                return failed({errc::invalid_row,
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

BULK_INLINE found scanner::checked(found what) {
    const std::size_t end = ends().field(ends().fields_up_to(ends().row_count() - 1) - 1);
    is_valid_text_ = structure_.ascii || is_valid_utf8({window_.data(), end});
    return what;
}

BULK_INLINE found scanner::failed(bulk::error error) {
    error_ = std::move(error);
    failed_ = true;
    return found::failure;
}

}  // namespace bulk::csv
// NOLINTEND(misc-definitions-in-headers)
