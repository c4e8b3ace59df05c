// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/scratch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bulk::csv {

/// One row as it stands in the file. A view: it lives until the scanner moves on.
struct record {
    const char* text = nullptr;
    const std::uint32_t* ends = nullptr;    ///< of its fields
    const std::uint64_t* quotes = nullptr;  ///< in the text, a bit for a byte; null: none
    std::size_t size = 0;                   ///< how many fields
    std::uint32_t begin = 0;

    /// The field with its quotes, if it has any.
    [[nodiscard]] std::string_view raw(std::size_t field) const {
        const std::uint32_t from = field == 0 ? begin : ends[field - 1] + 1;
        return {text + from, ends[field] - from};
    }

    /// The quotes among the 64 bytes from `at` on.
    [[nodiscard]] std::uint64_t quotes_at(const char* at) const {
        const auto from = static_cast<std::size_t>(at - text);
        const std::uint64_t* word = quotes + from / 64;
        return word[0] >> from % 64 | word[1] << 1 << (63 - from % 64);
    }

    [[nodiscard]] std::string_view whole() const { return {text + begin, ends[size - 1] - begin}; }
};

/// How many line ends a text has: LF, CRLF or CR.
[[nodiscard]] constexpr std::uint64_t count_line_ends(std::string_view text) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        count += text[i] == '\n' || (text[i] == '\r' && !text.substr(i + 1).starts_with('\n'));
    return count;
}

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// What a field says: without its quotes, and with pairs of quotes as one. Copies only where there
/// are pairs. `valid` becomes false when text follows the closing quote.
[[nodiscard]] inline std::string_view content(std::string_view raw, const dialect& dialect,
                                              scratch& scratch, bool& valid) {
    if (dialect.trim) raw = trimmed(raw);
    if (raw.empty() || raw.front() != dialect.quote || dialect.quote == '\0') return raw;
    raw.remove_prefix(1);
    auto quote = raw.find(dialect.quote);
    if (quote == raw.size() - 1) return raw.substr(0, quote);
    char* const begin = scratch.take(raw.size());
    char* to = begin;
    while (quote != std::string_view::npos && quote + 1 < raw.size() &&
           raw[quote + 1] == dialect.quote) {
        std::memcpy(to, raw.data(), quote + 1);
        to += quote + 1;
        raw.remove_prefix(quote + 2);
        quote = raw.find(dialect.quote);
    }
    if (quote == std::string_view::npos || quote + 1 != raw.size()) valid = false;
    const std::size_t rest = std::min(quote, raw.size());
    std::memcpy(to, raw.data(), rest);
    return {begin, to + rest};
}

/// How many bytes `content` would have, without making them.
[[nodiscard]] inline std::size_t content_size(std::string_view raw, const dialect& dialect,
                                              bool& valid) {
    if (dialect.trim) raw = trimmed(raw);
    if (raw.empty() || raw.front() != dialect.quote || dialect.quote == '\0') return raw.size();
    std::size_t size = 0;
    for (std::size_t i = 1; i < raw.size(); ++i, ++size) {
        if (raw[i] != dialect.quote) continue;
        if (i + 1 < raw.size() && raw[i + 1] == dialect.quote) {
            ++i;
        } else {
            valid = i + 1 == raw.size();
            return size;
        }
    }
    valid = false;
    return size;
}

}  // namespace bulk::csv
