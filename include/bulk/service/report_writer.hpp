// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/writer.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/to_text.hpp>
#include <bulk/rows/utf8.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/export_output.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk {

/// What a report says of every row, before the row's own columns.
inline constexpr std::array<std::string_view, 11> report_columns{
    "row",           "row_id",   "state",         "step",       "step_index",  "error_type",
    "error_message", "attempts", "retry_attempt", "started_at", "completed_at"};

namespace detail {

template <typename T>
inline constexpr bool is_decimal = false;
template <int Decimals>
inline constexpr bool is_decimal<decimal<Decimals>> = true;

/// Which columns hold numbers: no spreadsheet takes one for a formula.
template <declared_row Row>
inline constexpr auto number_columns = [] {
    std::array<bool, columns_of<Row>.size> all{};
    for_each_pointer(columns_of<Row>, [&]<auto Pointer>(std::size_t i) {
        using type = typename bare_type<member_type_of<Pointer>>::type;
        all[i] = std::is_arithmetic_v<type> || is_decimal<type>;
    });
    return all;
}();

/// The fields of a report as texts; those that are not there are empty.
[[nodiscard]] inline std::array<std::string, report_columns.size()> report_fields(
    row_number number, const row_standing& standing, const operation_description& about) {
    const auto moment = [](const std::optional<timestamp>& at) {
        return at ? to_text(*at) : std::string{};
    };
    std::array<std::string, report_columns.size()> fields;
    fields[0] = concat(to_number(number));
    fields[2] = standing.is_unprocessed ? "unprocessed" : name_of(standing.state);
    if (standing.last == nullptr) return fields;
    const row_record& last = *standing.last;
    fields[1] = last.row_id;
    fields[3] = about.step_name(last.step);
    fields[4] = concat(to_number(last.step));
    if (last.failure) fields[5] = name_of(*last.failure);
    fields[6] = mended_utf8(last.error_message);  // it may quote a cell
    fields[7] = concat(last.attempt);
    fields[8] = concat(last.retry_attempt);
    fields[9] = moment(last.started_at);
    fields[10] = moment(last.completed_at);
    return fields;
}

/// Which of them are numbers.
[[nodiscard]] constexpr bool is_report_number(std::size_t column) {
    return column == 0 || column == 4 || column == 7 || column == 8;
}

}  // namespace detail

/// A line for each row: what became of it, and its columns, personal ones hidden. In JSON the
/// columns are an object of their own, `data`.
template <declared_row Row>
class report_writer {
public:
    /// `has_columns`: the rows themselves are known, from their file or from their records.
    report_writer(export_format format, const operation_description& about,
                  const csv::dialect& dialect, bool has_columns)
        : format_{format},
          about_{about},
          csv_{.format = {.delimiter = dialect.delimiter}, .guard_formulas = true},
          has_columns_{has_columns},
          frame_{format} {}

    void begin(std::string& out) const {
        if (format_ != export_format::csv) return;
        std::vector<std::string> names{report_columns.begin(), report_columns.end()};
        if (has_columns_)
            for (const auto& column : column_descriptions<Row>) {
                const bool is_taken = std::ranges::any_of(
                    report_columns, [&](auto name) { return same_column(name, column.name); });
                names.push_back(concat(is_taken ? "data." : "", column.name));
            }
        csv::write_line(out, names, csv_);
    }

    bool put(std::string& out, const exported_row<Row>& each) {
        const auto fields = detail::report_fields(each.number, each.standing, about_);
        if (format_ == export_format::csv)
            put_csv(out, fields, each);
        else
            put_json(out, fields, each);
        return true;
    }

    void end(std::string& out) const {
        if (format_ != export_format::csv) frame_.close(out);
    }

private:
    static constexpr std::size_t width = columns_of<Row>.size;
    using report_texts = std::array<std::string, report_columns.size()>;

    void put_csv(std::string& out, const report_texts& fields,
                 const exported_row<Row>& each) const {
        csv::write_options bare = csv_;
        bare.guard_formulas = false;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) out += csv_.format.delimiter;
            csv::write_field(out, fields[i], detail::is_report_number(i) ? bare : csv_);
        }
        if (has_columns_) {
            const auto cells = texts_of(each);
            for (std::size_t i = 0; i < width; ++i) {
                out += csv_.format.delimiter;
                csv::write_field(out, cells[i], detail::number_columns<Row>[i] ? bare : csv_);
            }
        }
        out += '\n';
    }

    [[nodiscard]] static std::array<std::string, width> texts_of(const exported_row<Row>& each) {
        if (each.row != nullptr) return csv::fields_of_row(*each.row, false);
        std::array<std::string, width> texts;
        visit_tracked(each, [&](std::size_t i, const json::member_value& value) {
            if (value.is_string || value.text != "null") texts[i] = value.text;
        });
        return texts;
    }

    void put_json(std::string& out, const report_texts& fields, const exported_row<Row>& each) {
        frame_.begin(out);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            out += i == 0 ? '{' : ',';
            json::write_string(out, report_columns[i]);
            out += ':';
            if (fields[i].empty())
                out += "null";
            else if (detail::is_report_number(i))
                out += fields[i];
            else
                json::write_string(out, fields[i]);
        }
        if (has_columns_) {
            out += ",\"data\":";
            if (each.row != nullptr)
                json::write_row(out, *each.row);
            else
                put_tracked(out, each);
        }
        out += '}';
        frame_.end(out);
    }

    static void put_tracked(std::string& out, const exported_row<Row>& each) {
        bool is_first = true;
        visit_tracked(each, [&](std::size_t i, const json::member_value& value) {
            out += std::exchange(is_first, false) ? '{' : ',';
            json::write_string(out, column_descriptions<Row>[i].name);
            out += ':';
            if (value.is_string)
                json::write_string(out, value.text);
            else
                out += value.text;
        });
        out += is_first ? "null" : "}";
    }

    /// The columns of a row as its record has them. What is personal is hidden once more, however it
    /// was recorded.
    template <typename Visit>
    static void visit_tracked(const exported_row<Row>& each, Visit visit) {
        const auto data = tracked_data(each.records);
        if (data.empty()) return;
        const auto members = json::read_members(data);
        if (!members) return;
        for (std::size_t i = 0; i < width; ++i)
            for (const auto& [name, value] : *members)
                if (name == column_descriptions<Row>[i].name)
                    visit(i, column_descriptions<Row>[i].hidden
                                 ? json::member_value{std::string{hidden_text}, true}
                                 : value);
    }

    export_format format_;
    const operation_description& about_;
    csv::write_options csv_;
    bool has_columns_;
    json_frame frame_;
};

}  // namespace bulk
