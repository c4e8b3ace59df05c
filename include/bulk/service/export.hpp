// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/any_rows.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/format.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/service/data_writer.hpp>
#include <bulk/service/export_options.hpp>
#include <bulk/service/export_output.hpp>
#include <bulk/service/guarded_writer.hpp>
#include <bulk/service/report_writer.hpp>
#include <bulk/service/row_selection.hpp>
#include <bulk/service/row_standing.hpp>
#include <bulk/storage/any_storage.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk {

/// One export of one operation: the rows of its file and their records, side by side in one pass.
template <typename Op, typename Formats>
class operation_export {
public:
    using row_type = typename Op::row_type;

    operation_export(any_storage& storage, const operation_record& operation,
                     const export_options& options, row_selection selection,
                     const read_options& reading, const export_sink& sink)
        : storage_{storage},
          operation_{operation},
          options_{options},
          selection_{std::move(selection)},
          reading_{reading},
          output_{sink},
          histories_{storage, operation.id, about.steps.size(), selection_.rows()},
          is_at_rest_{is_final(operation.state)} {}

    [[nodiscard]] result<export_summary> run() {
        if (auto possible = check_guard(); !possible)
            return std::unexpected{std::move(possible).error()};
        auto bytes = open_file();
        if (!bytes) return std::unexpected{std::move(bytes).error()};
        auto& found = *bytes;
        auto exported = found ? from_file(std::move(*found)) : from_records();
        if (!exported) return std::unexpected{std::move(exported).error()};
        return std::move(summary_);
    }

private:
    static constexpr auto& about = description_of<Op>;
    static constexpr step_index last_step{static_cast<int>(about.steps.size()) - 1};

    [[nodiscard]] bool is_data() const { return options_.kind == export_kind::data; }

    /// The bytes of the file; none when it is gone.
    [[nodiscard]] result<std::optional<byte_source>> open_file() {
        const std::string& id = operation_.file_id;
        if (auto content = storage_.file_memory(id))
            return byte_source{std::string_view{*content}, content};
        auto pull = storage_.open_file(id, 0);
        if (pull) return byte_source{std::move(*pull)};
        if (pull.error().code == errc::not_found) return std::nullopt;
        return std::unexpected{std::move(pull).error()};
    }

    [[nodiscard]] result<> from_file(byte_source bytes) {
        auto rows =
            open_any_rows<row_type>(std::move(bytes), operation_.file_name, reading_, Formats{});
        if (!rows) return from_unreadable_file(rows.error());
        const std::string_view format = rows->format();
        if (!is_data()) return write_file(*rows, *report(true), name_of(options_.format));
        if (!options_.reveal_pii || !rows->is_built_in() || !is_copied(format, options_.format)) {
            if (options_.guard) return write_file(*rows, *guarding(), name_of(options_.format));
            return write_file(*rows, *converting(), name_of(options_.format));
        }
        const auto* dialect = rows->dialect();
        if (dialect != nullptr && options_.guard && !rows->is_guarded())
            return write_file(
                *rows, *typed_writer(guarded_writer<row_type>{*dialect, rows->header()}), format);
        return write_file(*rows,
                          *typed_writer(copying_writer<row_type>{options_.format, rows->header()}),
                          format);
    }

    [[nodiscard]] result<> check_guard() const {
        if (!options_.guard || !is_data()) return {};
        if (options_.format != export_format::csv)
            return fail(errc::invalid_argument,
                        "only CSV needs a guard against formulas: export CSV, or without a guard");
        if (!reading_.dialect.header)
            return fail(errc::invalid_argument,
                        "a guarded export needs a header, which says that it is guarded; files of "
                        "this service have none: export without a guard");
        return {};
    }

    /// The operation failed because of it; there may be a report all the same.
    [[nodiscard]] result<> from_unreadable_file(const error& why) {
        if (why.code != errc::invalid_row) return std::unexpected{why};
        if (is_data())
            return fail(errc::invalid_row,
                        concat("the file has no rows that could be told apart: ", why.message,
                               "; download it as it was uploaded instead"));
        summary_.file_error = why.message;
        return from_records();
    }

    /// The file is gone: what the records have.
    [[nodiscard]] result<> from_records() {
        if (is_data())
            if (auto known = check_tracked(); !known) return known;
        auto last = histories_.last_row();
        if (!last) return std::unexpected{std::move(last).error()};
        const row_number end{std::max(to_number(*last), operation_.rows.total)};
        if (!is_data())
            return write_records(*report(about.track_row_data), name_of(options_.format), end);
        if (options_.guard) return write_records(*guarding(), name_of(options_.format), end);
        return write_records(*converting(), name_of(options_.format), end);
    }

    using any_writer = std::unique_ptr<export_writer<row_type>>;

    template <typename Writer>
    [[nodiscard]] static any_writer typed_writer(Writer writer) {
        return std::make_unique<typed_export_writer<row_type, Writer>>(std::move(writer));
    }
    [[nodiscard]] any_writer converting() const {
        return typed_writer(
            converting_writer<row_type>{options_.format, reading_.dialect, options_.reveal_pii});
    }
    [[nodiscard]] any_writer guarding() const {
        return typed_writer(guarded_writer<row_type>{reading_.dialect, options_.reveal_pii});
    }

    [[nodiscard]] result<> check_tracked() const {
        if (!about.track_row_data)
            return fail(errc::not_found,
                        concat("the file of operation ", to_text(operation_.id),
                               " is gone, and its rows were not tracked: keep files for as long as "
                               "they are exported, or declare the operation with "
                               "`.track_row_data = true`"));
        for (const auto& column : about.columns)
            if (column.hidden)
                return fail(
                    errc::not_found,
                    concat("the file of operation ", to_text(operation_.id),
                           " is gone, and its records hide the personal column '", column.name,
                           "': export a report, or keep files for as long as "
                           "their rows are exported"));
        return {};
    }

    [[nodiscard]] any_writer report(bool has_columns) const {
        return typed_writer(report_writer<row_type>{options_.format,
                                                    about,
                                                    reading_.dialect,
                                                    has_columns,
                                                    {options_.spelling, operation_.created_at}});
    }

    using writer = export_writer<row_type>;

    [[nodiscard]] result<> write_file(any_rows<row_type>& reader, writer& writer,
                                      std::string_view extension) {
        begin(writer, extension);
        row_type row{};
        while (!selection_.is_past_last(next_)) {
            const auto status = reader.next(row);
            if (status == read_status::end) break;
            if (status == read_status::failure) {
                if (reader.error().code != errc::invalid_row)
                    return std::unexpected{reader.error()};
                summary_.file_error = reader.error().message;
                break;
            }
            next_ = row_number{to_number(reader.row()) + 1};
            const row_type* readable = status == read_status::row ? &row : nullptr;
            if (auto written = write_row(writer, reader.row(), readable, reader.raw()); !written)
                return written;
        }
        return end(writer);
    }

    [[nodiscard]] result<> write_records(writer& writer, std::string_view extension,
                                         row_number last) {
        begin(writer, extension);
        for (; next_ <= last && !selection_.is_past_last(next_);
             next_ = row_number{to_number(next_) + 1})
            if (auto written = write_row(writer, next_, nullptr, {}); !written) return written;
        return end(writer);
    }

    [[nodiscard]] result<> write_row(writer& writer, row_number number, const row_type* row,
                                     std::optional<std::string_view> raw) {
        if (!selection_.has(number)) return {};
        auto records = histories_.of(number);
        if (!records) return std::unexpected{std::move(records).error()};
        const auto standing = standing_of(*records, last_step, is_at_rest_);
        if (!selection_.has(standing)) return {};
        const bool is_written = writer.put(
            output_.text(), exported_row<row_type>{number, standing, *records, row, raw});
        ++(is_written ? summary_.rows : summary_.left_out);
        return output_.hand_over();
    }

    void begin(writer& writer, std::string_view extension) {
        summary_.content_type = content_type_of(extension);
        summary_.file_name =
            export_file_name(operation_.file_name, operation_.name, options_, extension);
        writer.begin(output_.text());
    }
    [[nodiscard]] result<> end(writer& writer) {
        writer.end(output_.text());
        return output_.hand_over(true);
    }

    any_storage& storage_;
    const operation_record& operation_;
    const export_options& options_;
    row_selection selection_;
    read_options reading_;
    export_output output_;
    row_histories histories_;
    bool is_at_rest_;
    row_number next_{1};
    export_summary summary_;
};

/// Writes the rows of an operation to `sink`, in the order of their file and in memory of fixed
/// size. `Formats` are those that the file may be of.
template <typename Op, typename Formats>
[[nodiscard]] result<export_summary> export_operation(any_storage& storage,
                                                      const operation_record& operation,
                                                      const export_options& options,
                                                      const read_options& reading, Formats,
                                                      const export_sink& sink) {
    auto selection = row_selection::make(options, description_of<Op>);
    if (!selection) return std::unexpected{std::move(selection).error()};
    return operation_export<Op, std::remove_const_t<Formats>>{
        storage, operation, options, std::move(*selection), reading, sink}
        .run();
}

}  // namespace bulk
