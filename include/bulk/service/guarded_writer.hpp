// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/formulas.hpp>
#include <bulk/rows/csv/record.hpp>
#include <bulk/rows/csv/scanner.hpp>
#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/scratch.hpp>
#include <bulk/service/data_writer.hpp>
#include <bulk/service/export_output.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Rows to be corrected in a spreadsheet: what it would compute is guarded, and a column says so, so that
/// the guards are taken off when the file is uploaded again.
template <declared_row Row>
class guarded_writer {
public:
    /// Rows of a CSV file, whose first line is `header`, as they stand there but for their quotes.
    guarded_writer(const csv::dialect& dialect, std::string_view header) : csv_{.format = dialect} {
        if (auto names = fields_of(header)) header_ = std::move(*names);
    }
    /// Rows from elsewhere: their declared columns.
    guarded_writer(const csv::dialect& dialect, bool reveal_pii)
        : csv_{.format = dialect, .reveal_pii = reveal_pii} {
        for (const auto& column : column_descriptions<Row>) header_.emplace_back(column.name);
        is_copied_ = false;
    }

    void begin(std::string& out) const {
        auto names = header_;
        names.emplace_back(csv::guard_column);
        write(out, std::move(names), false);
    }

    bool put(std::string& out, const exported_row<Row>& each) const {
        if (!is_copied_)
            return with_row(each, [&](const Row& row) {
                const auto fields = csv::fields_of_row(row, csv_.reveal_pii);
                write(out, {fields.begin(), fields.end()}, true);
            });
        if (!each.raw || each.raw->empty()) return false;
        auto fields = fields_of(*each.raw);
        // Where quotes do not match, nobody can tell the fields apart: one cell has all of the row.
        write(out, fields ? std::move(*fields) : std::vector{std::string{*each.raw}}, true);
        return true;
    }
    void end(std::string&) const {}

private:
    void write(std::string& out, std::vector<std::string> fields, bool is_row) const {
        for (std::string& field : fields) field = csv::guarded(field);
        if (is_row) fields.emplace_back();  // in the column that says so
        csv::write_line(out, fields, csv_);
    }

    /// What the fields of a record say; none if that cannot be told.
    [[nodiscard]] std::optional<std::vector<std::string>> fields_of(std::string_view raw) const {
        csv::scanner scanner{
            byte_source{raw}, csv_.format, no_limits, {}, {.window = raw.size() + padding}};
        if (scanner.next() != found::record) return std::nullopt;
        const csv::record& record = scanner.current();
        std::vector<std::string> fields;
        scratch scratch;
        scratch.clear(raw.size());
        for (std::size_t i = 0; i < record.size; ++i) {
            bool is_valid = true;
            fields.emplace_back(csv::content(record.raw(i), csv_.format, scratch, is_valid));
            if (!is_valid) return std::nullopt;
        }
        return fields;
    }

    csv::write_options csv_;
    std::vector<std::string> header_;
    bool is_copied_ = true;
};

}  // namespace bulk
