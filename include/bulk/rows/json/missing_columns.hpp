// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/strings.hpp>
#include <bulk/rows/json/values.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/row_error.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::json {

/// The names that an object has, as they stand there. It was read before.
[[nodiscard]] inline std::vector<std::string_view> names_in(std::string_view element,
                                                            const row_limits& limits) {
    std::vector<std::string_view> names;
    const char* at = element.data() + 1;
    const char* const end = element.data() + element.size();
    while (true) {
        while (at < end && *at != '"' && *at != '}') ++at;
        string_token key;
        if (at == end || *at == '}' || read_string(at, end, key) != syntax::fine) break;
        if (names.size() == limits.columns) break;  // somebody else's text costs no more memory
        names.push_back(key.raw);
        while (at < end && *at != ':') ++at;
        ++at;
        skip_spaces(at, end);
        if (skip_value(at, end, limits.json_depth) != syntax::fine) break;
    }
    return names;
}

/// Which required columns an element does not have, and what it has that is nearly right.
template <declared_row Row>
[[nodiscard]] row_error missing_columns(std::string_view element,
                                        const std::bitset<columns_of<Row>.size>& seen,
                                        const row_limits& limits) {
    const auto names = names_in(element, limits);
    std::string columns, first;
    for (std::size_t member = 0; member < seen.size(); ++member) {
        const auto& column = column_descriptions<Row>[member];
        if (seen[member] || !column.required) continue;
        if (first.empty()) first = column.name;
        columns += concat(columns.empty() ? "" : ", ", '\'', column.name, '\'');
        if (std::ranges::any_of(names, [&](auto name) { return same_column(name, column.name); }))
            columns += " (it is null)";
        else if (const auto near = nearest_name(column.name, names))
            columns += concat(" (is it '", *near, "'?)");
    }
    return {.column = first, .reason = concat("the element has no ", columns)};
}

}  // namespace bulk::json
