// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/limits.hpp>
#include <bulk/core/row_counters.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/any_rows.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/json/metadata.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/to_text.hpp>
#include <bulk/run/failure_budget.hpp>
#include <bulk/run/guard.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/unique_values.hpp>
#include <bulk/service/dry_run_report.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk {

/// One pass over a file that only looks.
template <typename Op, typename Formats>
class operation_dry_run {
public:
    using row_type = typename Op::row_type;

    explicit operation_dry_run(const dry_run_options& options)
        : options_{options}, grouping_{options.max_groups} {}

    [[nodiscard]] result<dry_run_report> run(std::string_view metadata, byte_source bytes,
                                             std::string_view name, const read_options& reading) {
        begin(metadata);
        if (auto read =
                read_file(at_most(std::move(bytes), name, options_.max_file_size), name, reading);
            !read) {
            if (read.error().code == errc::unavailable)
                return std::unexpected{std::move(read).error()};
            report_.file_error = std::move(read).error().message;
        }
        if (report_.operation_error.empty())
            report_.operation_error = failure_budget{description_of<Op>, report_.rows.failed}
                                          .exceeded(report_.rows.total)
                                          .value_or("");
        report_.groups = grouping_.groups();
        report_.is_valid = report_.metadata_errors.empty() && report_.file_error.empty() &&
                           report_.operation_error.empty() && report_.rows.failed == 0;
        return std::move(report_);
    }

private:
    void begin(std::string_view text) {
        auto metadata = json::read_metadata<typename Op::metadata_type>(text);
        if (!metadata) return report_.metadata_errors.push_back(metadata.error().message);
        const auto made = guarded(
            [&] { instance_ = std::make_unique<operation_instance<Op>>(std::move(*metadata)); });
        if (!made) {
            report_.operation_error =
                concat("the operation cannot be set up: ", made.error().message);
            return;
        }
        report_.metadata_errors = instance_->metadata_errors();
        // Validators of rows rely on metadata that is right.
        if (!report_.metadata_errors.empty()) instance_.reset();
    }

    [[nodiscard]] result<> read_file(byte_source bytes, std::string_view name,
                                     const read_options& reading) {
        auto rows = open_any_rows<row_type>(std::move(bytes), name, reading, Formats{});
        if (!rows) return std::unexpected{std::move(rows).error()};
        return read_rows(*rows);
    }

    [[nodiscard]] result<> read_rows(any_rows<row_type>& reader) {
        row_type row{};
        while (true) {
            const auto status = reader.next(row);
            if (status == read_status::end) return {};
            if (status == read_status::failure) return std::unexpected{reader.error()};
            ++report_.rows.total;
            const auto number = reader.row();
            if (status == read_status::bad_row)
                refuse(reader.problem(), to_text(reader.problem()), error_type::parse, nullptr);
            else if (auto valid = validate(row, number); !valid)
                refuse({.row = number, .reason = valid.error().message}, valid.error().message,
                       error_type::validation, &row);
            else
                count_row(report_.rows, true);
        }
    }

    /// What a row that can be read may be refused for.
    [[nodiscard]] result<> validate(const row_type& row, row_number number) {
        if constexpr (operation_instance<Op>::has_row_validators)
            if (instance_ != nullptr)
                if (auto valid = instance_->validate_row(row); !valid) return valid;
        if (const auto repeated = unique_.add(row, number)) return fail(to_text(*repeated));
        return {};
    }

    void refuse(row_error place, std::string why, error_type type, const row_type* row) {
        count_row(report_.rows, false);
        row_record record{.row = place.row,
                          .state = row_state::failed,
                          .attempt = 1,
                          .failure = type,
                          .error_message = cut_message(std::move(why))};
        grouping_.add(record);
        if (report_.errors.size() >= options_.max_errors) return;
        if (row != nullptr) {
            record.row_id = row_id_of(*row);
            if constexpr (description_of<Op>.track_row_data) json::write_row(record.row_data, *row);
        }
        report_.errors.push_back(std::move(record));
        place.type = type;
        report_.places.push_back(std::move(place));
    }

    [[nodiscard]] static std::string row_id_of(const row_type& row) {
        std::string id;
        if constexpr (row_id_columns<row_type>() > 0)
            for_each_pointer(columns_of<row_type>, [&]<auto Pointer>(std::size_t i) {
                if constexpr (!is_hidden<member_type_of<Pointer>>)
                    if (column_descriptions<row_type>[i].row_id) id = to_text(row.*Pointer);
            });
        return id;
    }

    dry_run_options options_;
    dry_run_report report_;
    error_grouping grouping_;
    unique_in_order<row_type> unique_;
    std::unique_ptr<operation_instance<Op>> instance_;  ///< none: rows are only read
};

/// Reads and validates every row of a file as a run of the operation would, without running a step
/// and without storing anything. Fails only when the bytes themselves cannot be had.
template <typename Op, typename Formats>
[[nodiscard]] result<dry_run_report> dry_run(std::string_view metadata, byte_source bytes,
                                             std::string_view name, const read_options& reading,
                                             Formats, const dry_run_options& options = {}) {
    return operation_dry_run<Op, std::remove_const_t<Formats>>{options}.run(
        metadata, std::move(bytes), name, reading);
}

}  // namespace bulk
