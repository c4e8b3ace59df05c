// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/rows/column.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

inline constexpr std::size_t not_in_file = std::numeric_limits<std::size_t>::max();

/// Which field of a record each member is read from.
template <declared_row Row>
struct binding {
    std::array<std::size_t, columns_of<Row>.size> fields{};  ///< or `not_in_file`
    std::size_t width = 0;                                   ///< fields in a record
    std::vector<std::string> ignored{};                      ///< columns that no member takes
    bool is_guarded = false;  ///< a column says that the guards of fields are to be taken off
};

/// Finds the members' columns in a header: by their exact name, else in any case and with any
/// spaces. Fails with every required column that is missing, and what the header has that is near
/// it; and when a column's name stands twice in the header.
template <declared_row Row>
[[nodiscard]] result<binding<Row>> bind_header(std::span<const std::string_view> header) {
    binding<Row> bound{.width = header.size()};
    std::vector<bool> taken(header.size());
    std::string missing;
    for (std::size_t member = 0; member < bound.fields.size(); ++member) {
        const auto& column = column_descriptions<Row>[member];
        const auto find = [&](auto same) {
            std::vector<std::size_t> found;
            for (std::size_t i = 0; i < header.size(); ++i)
                if (same(header[i], column.name)) found.push_back(i);
            return found;
        };
        auto found = find([](std::string_view a, std::string_view b) { return a == b; });
        if (found.empty()) found = find(same_column);
        if (found.size() > 1)
            return fail(errc::invalid_row,
                        concat("the header has the column '", column.name, "' ", found.size(),
                               " times (columns ", found[0] + 1, " and ", found[1] + 1,
                               "); rename or remove one"));
        bound.fields[member] = found.empty() ? not_in_file : found.front();
        if (!found.empty()) taken[found.front()] = true;
        if (found.empty() && column.required) {
            missing += concat(missing.empty() ? "" : ", ", '\'', column.name, '\'');
            if (const auto near = nearest_name(column.name, header))
                missing += concat(" (is it '", *near, "'?)");
        }
    }
    if (!missing.empty())
        return fail(errc::invalid_row, concat("the file has no column ", missing));
    for (std::size_t i = 0; i < header.size(); ++i)
        if (!taken[i]) bound.ignored.emplace_back(header[i]);
    return bound;
}

/// Without a header the members are the fields, in order. Fewer fields than members are fine as
/// long as the rest is not required.
template <declared_row Row>
[[nodiscard]] result<binding<Row>> bind_positions(std::size_t width) {
    binding<Row> bound{.width = width};
    for (std::size_t member = 0; member < bound.fields.size(); ++member) {
        bound.fields[member] = member < width ? member : not_in_file;
        if (member >= width && column_descriptions<Row>[member].required)
            return fail(errc::invalid_row,
                        concat("the file has ", width, " columns and no header; column ",
                               member + 1, " would be '", column_descriptions<Row>[member].name,
                               "', which is required"));
    }
    for (std::size_t i = bound.fields.size(); i < width; ++i)
        bound.ignored.push_back(concat("column ", i + 1));
    return bound;
}

}  // namespace bulk
