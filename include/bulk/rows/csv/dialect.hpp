// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <string_view>

namespace bulk::csv {

/// How a file separates and quotes. The default is RFC 4180.
struct dialect {
    char delimiter = ',';
    char quote = '"';     ///< '\0': nothing is quoted
    bool header = true;   ///< the first row names the columns
    char comment = '\0';  ///< lines that begin with it are skipped; '\0': none are
    /// Spaces and tabs around a field are not part of it, nor in front of a comment.
    bool trim = false;
    /// Looks at the file for which of comma, semicolon, tab and pipe it is; `delimiter` if none.
    bool detect_delimiter = false;

    bool operator==(const dialect&) const = default;
};

[[nodiscard]] inline result<> validate(const dialect& dialect) {
    const auto refuse = [](std::string_view name, std::string_view why) {
        return fail(errc::invalid_argument, concat("the dialect's ", name, ' ', why));
    };
    const auto is_taken = [](char c) { return c == '\n' || c == '\r'; };
    if (is_taken(dialect.delimiter) || dialect.delimiter == '\0')
        return refuse("delimiter", "cannot be a newline or NUL");
    if (is_taken(dialect.quote)) return refuse("quote", "cannot be a newline");
    if (is_taken(dialect.comment)) return refuse("comment", "cannot be a newline");
    if (dialect.quote == dialect.delimiter) return refuse("quote", "cannot be the delimiter");
    if (dialect.comment != '\0' &&
        (dialect.comment == dialect.delimiter || dialect.comment == dialect.quote))
        return refuse("comment", "cannot be the delimiter or the quote");
    if (dialect.trim && (dialect.delimiter == ' ' || dialect.quote == ' '))
        return refuse("trim", "cannot be asked for when a space separates or quotes");
    if (dialect.trim &&
        (dialect.quote == '\t' || dialect.comment == ' ' || dialect.comment == '\t'))
        return refuse("trim", "cannot be asked for when a tab quotes or a blank begins a comment");
    return {};
}

}  // namespace bulk::csv
