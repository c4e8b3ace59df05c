// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/row_record.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/statement.hpp>
#include <bulk/storage/waits.hpp>

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace bulk::sqlite {

/// A record and what ended its wait, which is no field of its own.
template <typename Record, typename End>
struct stored_record {
    Record& record;
    End& end;
};
template <typename Member>
[[nodiscard]] constexpr auto of_record(Member member) {
    return [=](auto& in) -> auto& { return in.record.*member; };
}

/// The columns of `bulk_records`, and which field each holds: every statement that reads or writes whole
/// records is made of this. The state and the texts have a checksum each, with the key.
struct record_columns {
    static constexpr std::array<std::string_view, 3> key{"operation", "row", "step"};
    static constexpr std::tuple state_fields{
        column{"state", of_record(&row_record::state)},
        column{"attempt", of_record(&row_record::attempt)},
        column{"retry_attempt", of_record(&row_record::retry_attempt)},
        column{"spent", [](auto& in) -> auto& { return in.end; }},
        column{"failure", of_record(&row_record::failure)},
        column{"started_at", of_record(&row_record::started_at)},
        column{"completed_at", of_record(&row_record::completed_at)},
        column{"wait_until", of_record(&row_record::wait_until)},
    };
    static constexpr std::tuple text_fields{
        column{"signal_key", of_record(&row_record::signal_key)},
        column{"error_message", of_record(&row_record::error_message)},
        column{"journal", [](auto& in) { return text_blob{in.record.journal}; }},
        column{"row_data", of_record(&row_record::row_data)},
    };

    static constexpr auto state = names_of(state_fields);
    static constexpr auto content = joined(state, names_of(text_fields));
    static constexpr auto sealed_state = joined(key, state);
    static constexpr auto sealed_texts = joined(key, names_of(text_fields));

    /// In the order of `content`.
    template <typename Record, typename End>
    [[nodiscard]] static auto fields(Record& record, End& end) {
        stored_record<Record, End> in{record, end};
        return std::tuple_cat(fields_of(state_fields, in), fields_of(text_fields, in));
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
