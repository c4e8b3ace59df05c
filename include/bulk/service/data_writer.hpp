// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/elements.hpp>
#include <bulk/rows/json/reader.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/export_output.hpp>
#include <bulk/service/json_frame.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// Whether rows of a file's format can be copied into an export as they stand.
[[nodiscard]] constexpr bool is_copied(std::string_view file_format, export_format format) {
    switch (format) {
        case export_format::csv:
            return file_format == csv_format::name || file_format == tsv_format::name;
        case export_format::json:
            return file_format == json_format::name;
        case export_format::ndjson:
            return file_format == ndjson_format::name;
    }
    return false;
}

/// Rows as they stand in their file: with columns that nobody declared, and also when they cannot be
/// read. What was too long to be read at all is left out.
template <declared_row Row>
class copying_writer {
public:
    /// `header` is the first line of a CSV file, if it has one.
    copying_writer(export_format format, std::string header)
        : format_{format}, header_{std::move(header)}, frame_{format} {}

    void begin(std::string& out) const {
        if (!header_.empty()) (out += header_) += '\n';
    }
    bool put(std::string& out, const exported_row<Row>& each) {
        if (!each.raw || each.raw->empty()) return false;
        if (format_ == export_format::csv) {
            (out += *each.raw) += '\n';
            return true;
        }
        frame_.begin(out);
        out += *each.raw;
        frame_.end(out);
        return true;
    }
    void end(std::string& out) const {
        if (format_ != export_format::csv) frame_.close(out);
    }

private:
    export_format format_;
    std::string header_;
    json_frame frame_;
};

/// Uses the row as its file or its records have it; false if it cannot be read.
template <declared_row Row, typename Use>
bool with_row(const exported_row<Row>& each, Use use) {
    if (each.row != nullptr) {
        use(*each.row);
        return true;
    }
    const auto data = tracked_data(each.records);
    if (data.empty()) return false;
    auto reader =
        json::reader<Row>::open(byte_source{data}, json::layout::lines, no_limits, data.size() + 1);
    Row row{};
    if (reader.next(row) != read_status::row) return false;
    use(row);
    return true;
}

/// Rows in another format than their file's, or from their records: declared columns only. Personal ones
/// are in clear if the file is to be uploaded again. A row that cannot be read is left out.
template <declared_row Row>
class converting_writer {
public:
    converting_writer(export_format format, const csv::dialect& dialect, bool reveal_pii)
        : format_{format}, csv_{.format = dialect, .reveal_pii = reveal_pii}, frame_{format} {}

    void begin(std::string& out) const {
        if (format_ == export_format::csv && csv_.format.header) csv::write_header<Row>(out, csv_);
    }
    bool put(std::string& out, const exported_row<Row>& each) {
        return with_row(each, [&](const Row& row) { write(out, row); });
    }
    void end(std::string& out) const {
        if (format_ != export_format::csv) frame_.close(out);
    }

private:
    void write(std::string& out, const Row& row) {
        if (format_ == export_format::csv) return csv::write_row(out, row, csv_);
        frame_.begin(out);
        json::write_row(out, row, {.reveal_pii = csv_.reveal_pii});
        frame_.end(out);
    }

    export_format format_;
    csv::write_options csv_;
    json_frame frame_;
};

}  // namespace bulk
