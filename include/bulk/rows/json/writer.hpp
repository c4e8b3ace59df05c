// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/pii.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/number_text.hpp>
#include <bulk/rows/to_text.hpp>
#include <bulk/rows/utf8.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace bulk::json {

struct write_options {
    bool reveal_pii = false;  ///< else `***` is written
};

/// Appends a text as a string in quotes.
inline void write_string(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20) {
                    out += c;
                } else {
                    out += "\\u00";
                    out += digits[static_cast<std::size_t>(c) / 16];
                    out += digits[static_cast<std::size_t>(c) % 16];
                }
        }
    }
    out += '"';
}

/// Appends a text to be shown: each byte that is not UTF-8 becomes U+FFFD.
inline void write_shown_string(std::string& out, std::string_view text) {
    write_string(out, is_valid_utf8(text) ? text : std::string_view{mended_utf8(text)});
}

/// Appends a member's value. Numbers and truth values stand bare, no value is null, and everything
/// else is a string: a decimal too, since most programs would read a bare one as a double. NaN and
/// infinities are strings, which no column of numbers takes: null would be read as no value.
template <typename T>
void write_value(std::string& out, const T& value, std::string_view format,
                 const write_options& options) {
    using bulk::to_text;  // json::value has one of its own
    if constexpr (is_optional<T>) {
        if (value)
            write_value(out, *value, format, options);
        else
            out += "null";
    } else if constexpr (is_pii<T>) {
        if (options.reveal_pii)
            write_value(out, value.reveal(), format, options);
        else
            write_string(out, hidden_text);
    } else if constexpr (std::floating_point<T>) {
        if (std::isfinite(value))
            out += to_text(value);
        else
            write_string(out, to_text(value));
    } else if constexpr (whole_number<T> || std::same_as<T, bool> || holds_json<T>) {
        out += to_text(value);
    } else if constexpr (time_type<T>) {
        write_string(out, to_text(value, format));
    } else {
        write_string(out, to_text(value));
    }
}

/// Appends a row as one object without a newline: a line of NDJSON, or an element of an array.
template <declared_row Row>
void write_row(std::string& out, const Row& row, const write_options& options = {}) {
    out += '{';
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t i) {
        if (i > 0) out += ',';
        write_string(out, column_descriptions<Row>[i].name);
        out += ':';
        write_value(out, row.*Pointer, column_descriptions<Row>[i].format, options);
    });
    out += '}';
}

}  // namespace bulk::json
