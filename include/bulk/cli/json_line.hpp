// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/readable.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/rows/json/object_writer.hpp>

#include <string>
#include <string_view>

namespace bulk::cli {

/// Numbers stand bare, however wide: programs read them as they are. Shares and rates have one digit behind
/// the point.
struct line_style {
    static constexpr bool quotes_wide_numbers = false;
    static constexpr int decimals = 1;
    [[nodiscard]] static std::string moment(timestamp value) { return iso_text(value); }
};

/// One JSON object on one line. Names are what programs rely on: they never change their meaning.
/// Bytes of texts that are not UTF-8, as file names may have, become U+FFFD: JSON is UTF-8.
using json_line = json::object_writer<line_style>;

/// A line on its own: programs tell lines apart by their type.
[[nodiscard]] inline json_line line_of(std::string_view type) {
    json_line line;
    line.add("type", type);
    return line;
}

}  // namespace bulk::cli
