// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/formulas.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/to_text.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::csv {

/// How rows are written.
struct write_options {
    dialect format{};
    /// For reports that people open in a spreadsheet: a field that one would take for a formula gets
    /// an apostrophe in front. Such a file is not what was read any more.
    bool guard_formulas = false;
    bool reveal_pii = false;  ///< else `***` is written
};

/// Appends a field, quoted where RFC 4180 or the dialect asks for it, or if it must be. A dialect
/// without quotes cannot hold a delimiter, a line end, or blanks that are trimmed: such a field is read
/// as something else.
inline void write_field(std::string& out, std::string_view field, const write_options& options,
                        bool must_be_quoted = false) {
    const auto& [delimiter, quote, header, comment, trim, detect] = options.format;
    std::string guarded;
    if (options.guard_formulas && looks_like_formula(field)) {
        guarded.append("'").append(field);
        field = guarded;
    }
    const auto needs_quotes = [&] {
        if (field.find_first_of("\r\n") != std::string_view::npos || field.contains(delimiter) ||
            field.contains(quote))
            return true;
        if (must_be_quoted) return true;
        if (field.empty()) return false;
        // At the beginning of a file it would be a byte order mark, and skipped.
        if (field.starts_with("\xef\xbb\xbf")) return true;
        // Who finds out the delimiter must not find another one.
        if (detect && field.find_first_of(",;\t|") != std::string_view::npos) return true;
        if (comment != '\0' && field.front() == comment) return true;
        const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
        return trim && (is_blank(field.front()) || is_blank(field.back()));
    };
    if (quote == '\0' || !needs_quotes()) {
        out += field;
        return;
    }
    out += quote;
    for (const char c : field) {
        if (c == quote) out += quote;
        out += c;
    }
    out += quote;
}

/// Appends a line of fields. A line of one empty field is written as two quotes: a blank line would
/// be no row. Without a header, the first field of a text is quoted whatever it is: the text must not
/// begin as JSON does, or a PDF document.
template <typename Fields>
void write_line(std::string& out, const Fields& fields, const write_options& options = {}) {
    std::size_t count = 0;
    const std::size_t begin = out.size();
    for (const auto& field : fields) {
        const bool is_first = begin == 0 && count == 0 && !options.format.header;
        if (count++ > 0) out += options.format.delimiter;
        write_field(out, field, options, is_first);
    }
    if (count == 1 && out.size() == begin && options.format.quote != '\0')
        out.append(2, options.format.quote);
    out += '\n';
}

/// Appends the header line of a row type: what a template file consists of.
template <declared_row Row>
void write_header(std::string& out, const write_options& options = {}) {
    std::array<std::string_view, columns_of<Row>.size> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = column_descriptions<Row>[i].name;
    write_line(out, names, options);
}

namespace detail {

template <typename T>
[[nodiscard]] std::string cell_text(const T& value, std::string_view format, bool reveal) {
    if constexpr (is_optional<T>) {
        return value ? cell_text(*value, format, reveal) : std::string{};
    } else if constexpr (is_pii<T>) {
        return reveal ? cell_text(value.reveal(), format, reveal) : std::string{hidden_text};
    } else if constexpr (time_type<T>) {
        return to_text(value, format);
    } else {
        return std::string{to_text(value)};
    }
}

}  // namespace detail

/// The fields of a row as texts, in the order of its columns.
template <declared_row Row>
[[nodiscard]] std::array<std::string, columns_of<Row>.size> fields_of_row(const Row& row,
                                                                          bool reveal_pii) {
    std::array<std::string, columns_of<Row>.size> fields;
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t i) {
        fields[i] = detail::cell_text(row.*Pointer, column_descriptions<Row>[i].format, reveal_pii);
    });
    return fields;
}

/// Appends a row; what is written is read as the same row, personal data and guarded formulas apart.
template <declared_row Row>
void write_row(std::string& out, const Row& row, const write_options& options = {}) {
    write_line(out, fields_of_row(row, options.reveal_pii), options);
}

}  // namespace bulk::csv
