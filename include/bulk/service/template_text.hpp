// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/service/export_options.hpp>

#include <string>

namespace bulk {

/// An empty file for an operation, to be filled in: the header of a CSV file, or one object with the
/// keys and default values of a row.
template <typename Op>
[[nodiscard]] std::string template_text(export_format format, const read_options& reading = {}) {
    using row_type = typename Op::row_type;
    std::string text;
    if (format == export_format::csv) {
        csv::write_header<row_type>(text, {.format = reading.dialect});
        return text;
    }
    if (format == export_format::json) text += "[\n";
    json::write_row(text, row_type{}, {.reveal_pii = true});
    text += format == export_format::json ? "\n]\n" : "\n";
    return text;
}

}  // namespace bulk
