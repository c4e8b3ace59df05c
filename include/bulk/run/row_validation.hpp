// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/members.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/row_error.hpp>
#include <bulk/rows/to_text.hpp>
#include <bulk/run/instance.hpp>
#include <bulk/run/row_outcomes.hpp>
#include <bulk/run/row_place.hpp>
#include <bulk/run/row_task.hpp>
#include <bulk/run/unique_values.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace bulk {

/// The first pass: every row is read and checked, and remembered if it is refused. Used by all tasks
/// of a run at once.
template <typename Op>
class row_validation {
public:
    using row_type = typename Op::row_type;

    row_validation(operation_instance<Op>& instance, const row_outcomes<Op>& outcomes)
        : instance_{instance}, outcomes_{outcomes} {}

    template <typename Reader>
    void validate(row_task& at, const row_type& row, read_status status, const Reader& reader) {
        const row_number number = reader.row();
        if (status == read_status::bad_row) return refuse_unread(at, reader);
        at.show(number, validation_step);
        if constexpr (operation_instance<Op>::has_row_validators)
            if (auto valid = instance_.validate_row(row); !valid)
                return refuse(at, number, std::move(valid).error().message, row);
        put_row_id(at, number, row);
        unique_.add(row, number);
        if constexpr (description.track_row_data) {
            auto record = outcomes_.record_of(number, validation_step, row_state::completed, 1);
            record.started_at = record.completed_at = at.watch.now();
            record.row_data = outcomes_.row_data(row);
            at.writer.put(std::move(record));
        } else {
            at.writer.quickly_done(number, validation_step, validation_step);
        }
        if (at.watch.end_row()) at.writer.close_window();
        at.writer.pass();
    }

    /// A row that is not even looked at.
    void refuse(row_task& at, row_number number, std::string why) {
        const timestamp now = at.watch.now();
        mark_refused(number);
        outcomes_.fail(at, begun(number, now), error_type::validation, std::move(why), now,
                       nullptr);
    }

    /// A row that an earlier run has let pass.
    void pass_again(const row_type& row, row_number number) { unique_.add(row, number); }

    /// Whether rows must be read even if an earlier run has let them pass.
    static constexpr bool reads_all = unique_values<row_type>::is_needed;

    [[nodiscard]] bool is_refused(row_number row) const {
        const auto bit = to_number(row);
        return bit < refused_.size() && refused_[bit];
    }

    /// Rows that have a value which must be unique and that an earlier row has, too; known when all
    /// rows were seen. Each is given once.
    [[nodiscard]] std::vector<repeated_value> take_repeated() { return unique_.take_repeated(); }

    /// Refuses a row that had been let pass. `record` is what was written of it.
    void refuse_repeated(row_task& at, row_record record, const repeated_value& repeated) {
        const timestamp now = at.watch.now();
        record.state = row_state::running;
        record.completed_at.reset();
        mark_refused(record.row);
        outcomes_.fail(at, std::move(record), error_type::validation, to_text(repeated), now,
                       nullptr);
    }

private:
    static constexpr auto& description = description_of<Op>;

    [[nodiscard]] row_record begun(row_number number, timestamp now) const {
        auto record = outcomes_.record_of(number, validation_step, row_state::running, 1);
        record.started_at = now;
        return record;
    }

    template <typename Reader>
    void refuse_unread(row_task& at, const Reader& reader) {
        const timestamp now = at.watch.now();
        mark_refused(reader.row());
        std::string_view raw;
        if constexpr (requires { reader.has_raw(); })
            if (reader.has_raw()) raw = reader.raw();
        outcomes_.fail_unread(at, begun(reader.row(), now), to_text(reader.problem()), raw, now);
    }

    void refuse(row_task& at, row_number number, std::string why, const row_type& row) {
        const timestamp now = at.watch.now();
        mark_refused(number);
        put_row_id(at, number, row);
        auto record = begun(number, now);
        if constexpr (description.track_row_data) record.row_data = outcomes_.row_data(row);
        outcomes_.fail(at, std::move(record), error_type::validation, std::move(why), now, &row);
    }

    void mark_refused(row_number row) {
        const std::scoped_lock lock{mutex_};
        if (to_number(row) >= refused_.size()) refused_.resize(to_number(row) + 1);
        refused_[to_number(row)] = true;
    }

    static void put_row_id(row_task& at, row_number number, const row_type& row) {
        if constexpr (row_id_columns<row_type>() > 0)
            for_each_pointer(columns_of<row_type>, [&]<auto Pointer>(std::size_t i) {
                if constexpr (!is_hidden<member_type_of<Pointer>>)
                    if (column_descriptions<row_type>[i].row_id)
                        at.writer.put_id(number, std::string{to_text(row.*Pointer)});
            });
    }

    operation_instance<Op>& instance_;
    const row_outcomes<Op>& outcomes_;
    unique_values<row_type> unique_;
    std::mutex mutex_;
    std::vector<bool> refused_;  ///< written in the first pass, read in the second
};

}  // namespace bulk
