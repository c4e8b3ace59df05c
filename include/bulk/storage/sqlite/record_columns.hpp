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

/// The columns of `bulk_records`, and which field each holds: every statement that reads or writes whole
/// records is made of this. The state and the texts have a checksum each, with the key.
struct record_columns {
    static constexpr std::array<std::string_view, 3> key{"operation", "row", "step"};
    static constexpr std::array<std::string_view, 8> state{
        "state",   "attempt",    "retry_attempt", "spent",
        "failure", "started_at", "completed_at",  "wait_until"};
    static constexpr std::array<std::string_view, 4> texts{"signal_key", "error_message", "journal",
                                                           "row_data"};

    static constexpr auto content = joined(state, texts);
    static constexpr auto sealed_state = joined(key, state);
    static constexpr auto sealed_texts = joined(key, texts);

    /// In the order of `content`.
    template <typename Record, typename End>
    [[nodiscard]] static auto fields(Record& record, End& end) {
        return column_values(record.state, record.attempt, record.retry_attempt, end,
                             record.failure, record.started_at, record.completed_at,
                             record.wait_until, record.signal_key, record.error_message,
                             text_blob{record.journal}, record.row_data);
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

    /// A record that waits for a signal, as the index of waits has it.
    static constexpr std::string_view waiting = "state = 2 AND signal_key <> ''";
    static_assert(std::to_underlying(row_state::waiting_for_completion) == 2);
};
static_assert(std::tuple_size_v<decltype(record_columns::fields(std::declval<row_record&>(),
                                                                std::declval<wait_end&>()))> ==
              record_columns::content.size());

}  // namespace bulk::sqlite
