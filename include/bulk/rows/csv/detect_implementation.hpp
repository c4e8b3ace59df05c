// SPDX-License-Identifier: MIT
#pragma once

// How the delimiter of a CSV file is found: see core/linkage.hpp for who includes this.

#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/detect.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/scan_state.hpp>
#include <bulk/rows/csv/structure.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk::csv {

BULK_INLINE char detect_delimiter(std::string_view text, dialect dialect) {
    char best = dialect.delimiter;
    double best_share = 0;
    std::size_t best_fields = 1;
    for (const char candidate : {',', ';', '\t', '|'}) {
        if (candidate == dialect.quote || candidate == dialect.comment) continue;
        dialect.delimiter = candidate;
        scan_state state;
        std::vector<std::size_t> counts;
        std::size_t fields = 1, begin = 0;
        for (std::size_t i = 0; i < text.size() && counts.size() < 1000; ++i) {
            const bool line_feed = i + 1 < text.size() && text[i + 1] == '\n';
            const bool comment = state.comment;
            const auto role = role_of(text[i], line_feed, dialect, state);
            if (role == byte_role::field_end) ++fields;
            if (role != byte_role::row_end) continue;
            std::string_view row = text.substr(begin, i - begin);
            if (row.ends_with('\r')) row.remove_suffix(1);
            if (dialect.trim && fields == 1) row = trimmed(row);
            if (!comment && !row.empty()) counts.push_back(fields);
            fields = 1;
            begin = i + 1;
        }
        if (counts.empty() && begin < text.size()) counts.push_back(fields);
        if (counts.empty() || counts.front() == 1) continue;
        const auto alike = static_cast<double>(std::ranges::count(counts, counts.front()));
        const double share = alike / static_cast<double>(counts.size());
        if (share > best_share || (share == best_share && counts.front() > best_fields)) {
            best = candidate;
            best_share = share;
            best_fields = counts.front();
        }
    }
    return best;
}

BULK_INLINE result<dialect> detected(byte_source& source, dialect dialect) {
    if (!dialect.detect_delimiter) return dialect;
    auto begin = peek(source, detection_size);
    if (!begin) return std::unexpected{begin.error()};
    std::string_view text = *begin;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    dialect.delimiter = detect_delimiter(text, dialect);
    dialect.detect_delimiter = false;
    return dialect;
}

}  // namespace bulk::csv
// NOLINTEND(misc-definitions-in-headers)
