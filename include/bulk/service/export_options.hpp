// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/row_state.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/format.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

enum class export_kind : std::uint8_t {
    report,  ///< what became of each row; for people
    data,    ///< the rows themselves; to be uploaded again
};
BOOST_DESCRIBE_ENUM(export_kind, report, data)

enum class export_format : std::uint8_t { csv, json, ndjson };
BOOST_DESCRIBE_ENUM(export_format, csv, json, ndjson)

enum class export_rows : std::uint8_t {
    all,
    succeeded,    ///< completed their last step
    failed,       ///< refused, failed or timed out
    unprocessed,  ///< nobody got to them, or their operation ended before they did
};
BOOST_DESCRIBE_ENUM(export_rows, all, succeeded, failed, unprocessed)

/// How a report spells its columns, states and failures.
enum class report_spelling : std::uint8_t {
    bulk,       ///< row, completed; in JSON the row's columns are an object of their own
    bulksharp,  ///< RowNumber, Completed; the row's columns stand beside them
};
BOOST_DESCRIBE_ENUM(report_spelling, bulk, bulksharp)

/// Which rows, and how. What is not set does not restrict; what is set must all hold. Everything is
/// asked of a row's last record, never of an earlier one.
struct export_options {
    export_kind kind = export_kind::report;
    export_format format = export_format::csv;
    report_spelling spelling = report_spelling::bulk;
    export_rows rows = export_rows::all;
    /// Data as CSV for a spreadsheet: a cell that it would compute gets an apostrophe in front, which is
    /// taken off when the file is uploaded again. Reports are always guarded.
    bool guard = false;
    /// A row that waits for its next step is pending, though the last one was completed.
    std::optional<row_state> state{};
    std::optional<error_type> failure{};
    std::string step{};              ///< where the row is: a step's name, or "validation"
    std::string pattern{};           ///< of an error group: see `error_pattern`
    std::vector<row_number> only{};  ///< any of these; empty means all
    /// Of rows themselves (`data`): false hides personal values, and leaves out columns that nobody
    /// declared, since they may be personal too.
    bool reveal_pii = true;
};

/// What an export was.
struct export_summary {
    std::uint64_t rows = 0;
    std::uint64_t left_out = 0;  ///< matched, but cannot be written in this format
    std::string content_type{};
    std::string file_name{};  ///< a proposal
    std::string
        file_error{};  ///< where the stored file cannot be read on: what comes after is missing
};

/// Takes the export part by part. What it returns or throws ends the export.
using export_sink = std::function<result<>(std::string_view)>;

/// The step of that name, in any case; none for the empty name.
[[nodiscard]] result<std::optional<step_index>> find_step(const operation_description& operation,
                                                          std::string_view name);

/// How a file of an extension is called on the wire.
[[nodiscard]] constexpr std::string_view content_type_of(std::string_view extension) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{
        {{"csv", "text/csv; charset=utf-8"},
         {"tsv", "text/tab-separated-values; charset=utf-8"},
         {"json", "application/json"},
         {"ndjson", "application/x-ndjson"}}};
    for (const auto& [name, type] : known)
        if (name == extension) return type;
    return "text/plain; charset=utf-8";
}

/// `users.csv.gz` to `users-failed.csv`: a name that is safe in a header and in a folder.
[[nodiscard]] std::string export_file_name(std::string_view source, std::string_view operation,
                                           const export_options& options,
                                           std::string_view extension);

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/service/export_options_implementation.hpp>
#endif
