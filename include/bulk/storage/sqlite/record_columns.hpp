// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_record.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/waits.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

/// The columns of `bulk_records`, and which field each holds: every statement that reads or writes whole
/// records is made of this. The state and the texts have a checksum each, with the key.
struct record_columns {
    static constexpr std::array<std::string_view, 3> key{"operation", "row", "step"};
    static constexpr std::array attempt_fields{
        column_of<&row_record::state>("state"),
        column_of<&row_record::attempt>("attempt"),
        column_of<&row_record::retry_attempt>("retry_attempt"),
    };
    /// What ended the record's wait, which is no field of its own.
    static constexpr std::array<std::string_view, 1> end{"spent"};
    static constexpr std::array time_fields{
        column_of<&row_record::failure>("failure"),
        column_of<&row_record::started_at>("started_at"),
        column_of<&row_record::completed_at>("completed_at"),
        column_of<&row_record::wait_until>("wait_until"),
    };
    static constexpr std::array text_fields{
        column_of<&row_record::signal_key>("signal_key"),
        column_of<&row_record::error_message>("error_message"),
        column_as<as_bytes, &row_record::journal>("journal"),
        column_of<&row_record::row_data>("row_data"),
    };

    static constexpr auto state = joined(names_of(attempt_fields), end, names_of(time_fields));
    static constexpr auto content = joined(state, names_of(text_fields));
    static constexpr auto sealed_state = joined(key, state);
    static constexpr auto sealed_texts = joined(key, names_of(text_fields));

    /// Reads the fields of `content` from a row, in which they begin at `first`.
    static void read(const row_stream& row, row_record& record, wait_end& end_of_wait,
                     std::size_t first) {
        read_fields(row, attempt_fields, record, first);
        row.read_at(static_cast<int>(first += attempt_fields.size()), end_of_wait);
        read_fields(row, time_fields, record, first += end.size());
        read_fields(row, text_fields, record, first + time_fields.size());
    }

    /// What a retry makes of a record; its data stays.
    static constexpr std::array<changed_column, 11> reset{{{"state", "0"},
                                                           {"attempt", "0"},
                                                           {"retry_attempt", "retry_attempt + 1"},
                                                           {"spent", "0"},
                                                           {"failure", "NULL"},
                                                           {"started_at", "NULL"},
                                                           {"completed_at", "NULL"},
                                                           {"wait_until", "NULL"},
                                                           {"signal_key", "''"},
                                                           {"error_message", "''"},
                                                           {"journal", "x''"}}};
    static_assert(std::to_underlying(row_state::pending) == 0);
    static_assert(std::to_underlying(wait_end::none) == 0);
    static_assert(reset.size() + 1 == content.size(), "a retry resets all but the data");

    /// A record that waits for a signal, as the index of waits has it.
    static constexpr std::string_view waiting = "state = 2 AND signal_key <> ''";
    static_assert(std::to_underlying(row_state::waiting_for_completion) == 2);
};

}  // namespace bulk::sqlite
