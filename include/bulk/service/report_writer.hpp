// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/clock.hpp>
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
#include <bulk/service/json_frame.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
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

/// The same as BulkSharp names it.
inline constexpr std::array<std::string_view, 10> bulksharp_report_columns{
    "RowNumber", "RowId",        "State",        "StepName",  "StepIndex",
    "ErrorType", "ErrorMessage", "RetryAttempt", "CreatedAt", "CompletedAt"};

/// How a report is spelt.
struct report_style {
    report_spelling spelling = report_spelling::bulk;
    timestamp created_at{};  ///< of the operation; BulkSharp's rows always have a `CreatedAt`

    [[nodiscard]] constexpr std::span<const std::string_view> columns() const {
        if (spelling == report_spelling::bulksharp) return bulksharp_report_columns;
        return report_columns;
    }
};

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

/// The fields of a report as texts, one for each column; those that are not there are empty.
using report_texts = std::vector<std::string>;

[[nodiscard]] inline std::string moment_text(const std::optional<timestamp>& at) {
    return at ? to_text(*at) : std::string{};
}

[[nodiscard]] inline report_texts report_fields(row_number number, const row_standing& standing,
                                                const operation_description& about) {
    report_texts fields(report_columns.size());
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
    fields[9] = moment_text(last.started_at);
    fields[10] = moment_text(last.completed_at);
    return fields;
}

/// `standing.last` is there.
[[nodiscard]] inline report_texts bulksharp_fields(row_number number, const row_standing& standing,
                                                   const operation_description& about,
                                                   timestamp created_at) {
    const row_record& last = *standing.last;
    return {concat(to_number(number)),
            last.row_id,
            bulksharp_name(standing.state),
            std::string{about.step_name(last.step)},
            concat(to_number(last.step)),
            last.failure ? bulksharp_name(*last.failure) : std::string{},
            last.error_message,
            concat(last.retry_attempt),
            to_text(last.started_at.value_or(last.completed_at.value_or(created_at))),
            moment_text(last.completed_at)};
}

/// Which of them are numbers.
[[nodiscard]] constexpr bool is_report_number(report_spelling spelling, std::size_t column) {
    return column == 0 || column == 4 || column == 7 ||
           (column == 8 && spelling == report_spelling::bulk);
}

}  // namespace detail

/// A line for each row: what became of it, and its columns, personal ones hidden. In JSON the
/// columns are an object of their own, `data`, or stand beside the others as BulkSharp has it. In its
/// spelling, rows that have no record yet are left out, as it does.
template <declared_row Row>
class report_writer {
public:
    /// `has_columns`: the rows themselves are known, from their file or from their records.
    report_writer(export_format format, const operation_description& about,
                  const csv::dialect& dialect, bool has_columns, report_style style = {})
        : format_{format},
          about_{about},
          csv_{.format = {.delimiter = dialect.delimiter}, .guard_formulas = true},
          has_columns_{has_columns},
          style_{style},
          frame_{format} {}

    void begin(std::string& out) const {
        if (format_ != export_format::csv) return;
        const auto known = style_.columns();
        std::vector<std::string> names{known.begin(), known.end()};
        if (has_columns_)
            for (const auto& column : column_descriptions<Row>)
                names.push_back(concat(is_taken(column.name) ? "data." : "", column.name));
        csv::write_line(out, names, csv_);
    }

    bool put(std::string& out, const exported_row<Row>& each) {
        const bool is_bulksharp = style_.spelling == report_spelling::bulksharp;
        if (is_bulksharp && each.standing.last == nullptr) return false;
        const auto fields =
            is_bulksharp
                ? detail::bulksharp_fields(each.number, each.standing, about_, style_.created_at)
                : detail::report_fields(each.number, each.standing, about_);
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
    using report_texts = detail::report_texts;

    /// Whether the report has a column of its own of that name.
    [[nodiscard]] bool is_taken(std::string_view column) const {
        return std::ranges::any_of(style_.columns(),
                                   [&](auto name) { return same_column(name, column); });
    }
    [[nodiscard]] bool is_number(std::size_t column) const {
        return detail::is_report_number(style_.spelling, column);
    }

    void put_csv(std::string& out, const report_texts& fields,
                 const exported_row<Row>& each) const {
        csv::write_options bare = csv_;
        bare.guard_formulas = false;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) out += csv_.format.delimiter;
            csv::write_field(out, fields[i], is_number(i) ? bare : csv_);
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
            json::write_string(out, style_.columns()[i]);
            out += ':';
            if (fields[i].empty())
                out += "null";
            else if (is_number(i))
                out += fields[i];
            else
                json::write_shown_string(out, fields[i]);
        }
        if (has_columns_ && style_.spelling == report_spelling::bulksharp) {
            put_beside(out, each);
        } else if (has_columns_) {
            out += ",\"data\":";
            put_object(out, each);
        }
        out += '}';
        frame_.end(out);
    }

    static void put_object(std::string& out, const exported_row<Row>& each) {
        if (each.row != nullptr)
            json::write_row(out, *each.row);
        else
            put_tracked(out, each);
    }

    /// The members of the row as members of the line.
    void put_beside(std::string& out, const exported_row<Row>& each) const {
        std::string object;
        put_object(object, each);
        const auto members = json::read_members(object);
        if (!members) return;  // nothing is known of the row
        for (const auto& [name, value] : *members) {
            out += ',';
            json::write_string(out, concat(is_taken(name) ? "data." : "", name));
            out += ':';
            if (value.is_string)
                json::write_string(out, value.text);
            else
                out += value.text;
        }
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
    report_style style_;
    json_frame frame_;
};

}  // namespace bulk
