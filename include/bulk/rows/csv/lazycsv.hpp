// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/record_scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/text_window.hpp>
#include <bulk/rows/utf8.hpp>

#include <lazycsv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::csv {

/// Records as lazycsv cuts them, for `reader<Row, lazycsv_scanner>`. Not RFC 4180: a newline in
/// quotes ends the row, a carriage return alone does not, and a quote that is never closed swallows
/// the rest of its line instead of failing the file. Holds the whole text in memory. Reads commas
/// and double quotes only; a dialect that asks for something else is refused.
class lazycsv_scanner {
public:
    static constexpr bool is_rfc_4180 = false;

    explicit lazycsv_scanner(byte_source source, const dialect& dialect = {},
                             const row_limits& limits = {}, scan_start start = {},
                             const scan_tuning& tuning = {})
        : dialect_{dialect}, limits_{limits}, line_{start.line - 1}, offset_{start.offset} {
        if (dialect.delimiter != ',' || dialect.quote != '"' || dialect.comment != '\0') {
            error_ = {errc::invalid_argument,
                      "lazycsv reads commas and double quotes, and no comments; use the scanner of "
                      "bulk for other dialects"};
            return;
        }
        while (true) {
            const std::size_t have = text_.size();
            text_.resize(have + tuning.window);
            const auto got = source.read({text_.data() + have, tuning.window});
            if (!got) error_ = got.error();
            text_.resize(have + got.value_or(0));
            if (!got || *got == 0) break;
        }
        if (offset_ == 0 && text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
        size_ = text_.size();
        text_.append(padding, '\0');
        is_valid_text_ = is_valid_utf8(rest());
    }

    [[nodiscard]] found next() {
        while (true) {
            if (!error_.message.empty()) return found::failure;
            if (begin_ >= size_) return found::end;
            passed_over_ = 0;
            const parser rows{rest()};
            const auto row = *rows.begin();
            const std::string_view line = row.raw();  // without the end of the line
            place_ = begin_;
            begin_ += line.size() + (line.data()[line.size()] == '\r' ? 2 : 1);
            ++line_;
            if (line.size() > limits_.row_bytes) {
                passed_over_ = begin_ - place_;
                return found::too_long;
            }
            if ((dialect_.trim ? trimmed(line) : line).empty()) continue;
            cut(row, line);
            return found::record;
        }
    }

    [[nodiscard]] const record& current() const { return record_; }
    [[nodiscard]] const dialect& format() const { return dialect_; }
    [[nodiscard]] std::uint64_t line() const { return line_; }
    [[nodiscard]] std::uint64_t begin() const { return offset_ + place_; }
    [[nodiscard]] std::uint64_t position() const { return offset_ + size_; }
    [[nodiscard]] bool is_valid_text() const { return is_valid_text_; }
    [[nodiscard]] std::uint64_t passed_over() const { return passed_over_; }
    [[nodiscard]] const bulk::error& error() const { return error_; }

private:
    using parser = lazycsv::parser<std::string_view, lazycsv::has_header<false>>;

    [[nodiscard]] std::string_view rest() const {
        return std::string_view{text_}.substr(begin_, size_ - begin_);
    }

    void cut(const parser::row& row, std::string_view line) {
        ends_.clear();
        for (const auto cell : row) {
            const std::string_view inner = cell.raw();  // without its quotes, if it has two
            const bool is_quoted = inner.data() > line.data() && inner.data()[-1] == '"';
            const auto end = static_cast<std::size_t>(inner.data() - line.data()) + inner.size();
            ends_.push_back(static_cast<std::uint32_t>(std::min(end + is_quoted, line.size())));
        }
        const bool has_quotes = line.contains('"');
        if (has_quotes) {
            quotes_.assign(line.size() / 64 + 2, 0);
            for (std::size_t i = 0; i < line.size(); ++i)
                if (line[i] == '"') quotes_[i / 64] |= std::uint64_t{1} << i % 64;
        }
        record_ = {.text = line.data(),
                   .ends = ends_.data(),
                   .quotes = has_quotes ? quotes_.data() : nullptr,
                   .size = ends_.size(),
                   .begin = 0};
    }

    dialect dialect_;
    row_limits limits_;
    std::string text_;
    std::size_t size_ = 0;   ///< of the text, without its padding
    std::size_t begin_ = 0;  ///< of the next row
    std::size_t place_ = 0;  ///< of this one
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint64_t> quotes_;
    record record_;
    std::uint64_t line_;
    std::uint64_t offset_;
    std::uint64_t passed_over_ = 0;
    bool is_valid_text_ = true;
    bulk::error error_;
};
static_assert(record_scanner<lazycsv_scanner>);

}  // namespace bulk::csv
