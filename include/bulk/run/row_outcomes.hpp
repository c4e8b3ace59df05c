// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error_type.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/operation/description.hpp>
#include <bulk/rows/column.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/run/row_records.hpp>
#include <bulk/run/row_task.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

/// The same, with what is shown of a row that fails.
template <typename Op>
class row_outcomes : public row_records {
public:
    using row_type = typename Op::row_type;
    static constexpr auto& description = description_of<Op>;

    /// `about` is what events say of the operation, at any time.
    row_outcomes(const operation_record& about, bool data_in_errors)
        : row_records{about}, data_in_errors_{data_in_errors} {}

    /// A row ends here. `record` is running or waiting; `row` is null where there is none to show.
    void fail(row_task& at, row_record record, error_type type, std::string why, timestamp now,
              const row_type* row) const {
        (void)fail_row(record, type, std::move(why), now);
        finish(at, std::move(record), now, row);
    }

    void time_out(row_task& at, row_record record, std::string_view step, timestamp now,
                  const row_type* row) const {
        (void)bulk::time_out(record, step, now);
        finish(at, std::move(record), now, row);
    }

    /// A row that could not even be read: its text is all there is to show.
    void fail_unread(row_task& at, row_record record, std::string why, std::string_view raw,
                     timestamp now) const {
        (void)fail_row(record, error_type::parse, std::move(why), now);
        if (data_in_errors_ && !has_hidden_columns) json::write_shown_string(record.row_data, raw);
        finish(at, std::move(record), now, nullptr);
    }

    [[nodiscard]] static std::string row_data(const row_type& row) {
        std::string data;
        json::write_row(data, row);
        return data;
    }

private:
    static constexpr bool has_hidden_columns =
        std::ranges::any_of(column_descriptions<row_type>, &column_description::hidden);

    void finish(row_task& at, row_record record, timestamp now, const row_type* row) const {
        if (row != nullptr && record.row_data.empty() && data_in_errors_)
            record.row_data = row_data(*row);
        row_records::finish(at, std::move(record), now);
    }

    bool data_in_errors_;
};

}  // namespace bulk
