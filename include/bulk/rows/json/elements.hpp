// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/json/boundaries.hpp>
#include <bulk/rows/json/standalone.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/scanned_slices.hpp>
#include <bulk/rows/slice.hpp>
#include <bulk/rows/text_window.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace bulk::json {

/// How a file holds its elements.
enum class layout : std::uint8_t {
    array,  ///< one JSON array
    lines,  ///< one element a line: NDJSON, also called JSON lines
};
BOOST_DESCRIBE_ENUM(layout, array, lines)

/// Bytes to the texts of elements, through a window of fixed size that grows only for an element
/// that does not fit, up to the row limit. Blank lines are passed over.
class element_scanner {
public:
    explicit element_scanner(byte_source source, layout layout, const row_limits& limits = {},
                             std::size_t window = std::size_t{64} * 1024)
        : window_{std::move(source), window, 0}, layout_{layout}, limits_{limits} {}

    /// Of some elements of a file that follow each other, as a slice has them.
    element_scanner(byte_source source, layout layout, const row_limits& limits,
                    const scan_start& start)
        : window_{std::move(source), std::size_t{64} * 1024, start.offset},
          layout_{layout},
          limits_{limits},
          line_{start.line},
          too_long_{start.too_long},
          is_part_{true},
          is_open_{true},
          is_after_comma_{true} {}

    /// Moves to the next element.
    [[nodiscard]] found next() {
        const auto what = scan();
        return what == found::end && too_long_.size > 0 ? give_too_long() : what;
    }

    /// As it stands in the file; empty where an array has a comma too many. `padding` bytes behind it
    /// can be read. It lives until the scanner moves on.
    [[nodiscard]] std::string_view current() const { return element_; }

    /// The line in which the element begins, from 1.
    [[nodiscard]] std::uint64_t line() const { return element_line_; }

    /// Where the element begins, in bytes.
    [[nodiscard]] std::uint64_t begin() const { return element_offset_; }
    /// How far the file was read; its size, at the end.
    [[nodiscard]] std::uint64_t position() const { return window_.offset() + window_.size(); }
    /// How long the element was that was found to be too long.
    [[nodiscard]] std::uint64_t passed_over() const { return passed_over_; }
    [[nodiscard]] const bulk::error& error() const { return error_; }

private:
    [[nodiscard]] found scan() {
        while (true) {
            passed_over_ = 0;
            if (failed_) return found::failure;
            if (layout_ == layout::array)
                if (const auto what = approach(); what != found::record) return what;
            begin_ = at_;
            element_offset_ = window_.offset() + begin_;
            element_line_ = line_;
            nesting_ = {};
            const bool is_ended = find_end();
            if (failed_) return found::failure;
            if (!is_ended && layout_ == layout::array && !is_part_) return never_closed();
            const std::uint64_t size = window_.offset() + at_ - element_offset_;
            element_ = trimmed({window_.data() + begin_, at_ - begin_});
            line_ += nesting_.newlines;
            if (is_ended) step_over();
            if (size > limits_.row_bytes) {
                passed_over_ = size;
                return found::too_long;
            }
            if (!element_.empty() || (layout_ == layout::array && is_ended)) return found::record;
            if (!is_ended) return found::end;
        }
    }

    /// The slicer has found it, behind the text of the slice.
    [[nodiscard]] found give_too_long() {
        element_ = {};
        element_line_ = too_long_.line;
        passed_over_ = std::exchange(too_long_, {}).size;
        return found::too_long;
    }

    /// Reads on, and forgets what lies before `begin_`. False at the end, or when it cannot be read.
    [[nodiscard]] bool refill() {
        if (window_.has_ended()) return false;
        window_.drop(begin_);
        at_ -= begin_;
        begin_ = 0;
        // The old buffer is there while the new one is filled: nearly as large, both would cost twice.
        if (window_.size() == window_.capacity())
            window_.grow(2 * window_.size() < limits_.row_bytes ? 2 * window_.size()
                                                                : limits_.row_bytes + 1);
        if (auto read = window_.read_on(); !read) {
            (void)fail_with(std::move(read).error());
            return false;
        }
        return true;
    }

    /// In an array: to where the next element begins. `record` when there is one.
    [[nodiscard]] found approach() {
        while (true) {
            const std::string_view text = window_.text();
            for (; at_ < text.size() && is_space(text[at_]); ++at_) line_ += text[at_] == '\n';
            begin_ = at_;
            element_line_ = line_;
            if (at_ == text.size()) {
                if (refill()) continue;
                if (failed_) return found::failure;
                if (is_closed_ || is_part_) return found::end;
                if (is_open_) return never_closed();
                return fail_with(
                    {errc::invalid_row, "the file is empty; a JSON array of objects is expected"});
            }
            if (is_closed_)
                return fail_with({errc::invalid_row,
                                  concat("there is text behind the array, in line ", line())});
            if (!is_open_) {
                if (text[at_] != '[')
                    return fail_with(
                        {errc::invalid_row,
                         concat("a JSON file is an array of objects and begins with '['; line ",
                                line(), " begins with '", text.substr(at_, 1),
                                "' (a file with one object a line is NDJSON)")});
                is_open_ = true;
                ++at_;
                continue;
            }
            if (text[at_] != ']' || is_after_comma_) return found::record;
            is_closed_ = true;
            ++at_;
        }
    }

    /// To the end of the element, keeping it unless it is over its limit. False when the file ends
    /// before the element does.
    [[nodiscard]] bool find_end() {
        while (true) {
            const char* const data = window_.data();
            const char* const end = data + window_.size();
            const char* found = end;
            if (layout_ == layout::array)
                found = find_element_end(nesting_, data + at_, end);
            else if (at_ < window_.size())
                if (const void* newline = std::memchr(data + at_, '\n', window_.size() - at_))
                    found = static_cast<const char*>(newline);
            at_ = static_cast<std::size_t>(found - data);
            if (found != end) return true;
            if (at_ - begin_ > limits_.row_bytes) begin_ = at_;  // it is too long to be kept
            if (!refill()) return false;
        }
    }

    /// Behind what ends the element; nothing does if it is broken.
    void step_over() {
        const char end = window_.data()[at_];
        is_closed_ = layout_ == layout::array && end == ']';
        is_after_comma_ = layout_ == layout::array && !is_closed_;
        if (end != '{') ++at_;
        if (layout_ == layout::lines) ++line_;
    }

    [[nodiscard]] found never_closed() {
        return fail_with(
            {errc::invalid_row,
             concat("the array is never closed; the file may be cut off. What is read last begins "
                    "in line ",
                    line())});
    }

    [[nodiscard]] found fail_with(bulk::error error) {
        error_ = std::move(error);
        failed_ = true;
        return found::failure;
    }

    text_window window_;
    layout layout_;
    row_limits limits_;
    std::size_t begin_ = 0;  ///< of the element, in the window
    std::size_t at_ = 0;     ///< how far the window was read
    std::string_view element_;
    std::uint64_t element_offset_ = 0;
    nesting nesting_;
    std::uint64_t line_ = 1;  ///< at `at_`
    std::uint64_t element_line_ = 1;
    std::uint64_t passed_over_ = 0;
    too_long_row too_long_;
    bool is_part_ = false;
    bool is_open_ = false;
    bool is_closed_ = false;
    bool is_after_comma_ = false;
    bool failed_ = false;
    bulk::error error_;
};

/// Cuts a file into slices between elements.
class slicer : public scanned_slices<element_scanner> {
public:
    explicit slicer(byte_source source, layout layout, std::uint64_t rows_per_slice = 4096,
                    const row_limits& limits = {})
        : scanned_slices{element_scanner{std::move(source), layout, limits}, rows_per_slice,
                         false} {}
};

}  // namespace bulk::json
