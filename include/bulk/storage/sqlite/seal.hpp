// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/event_columns.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/record_columns.hpp>
#include <bulk/storage/stored_file.hpp>

#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace bulk::sqlite {

/// What the seal of each table covers: its key and its content, as SQL over the table's own columns.
/// `column IS seals::pages` is whether a row is what was written.
///
/// An operation and a record have two seals each, since some of their columns change often or are
/// read alone: a batch of rows seals eleven columns of its operation again and not forty, and how far
/// rows are is read without their texts.
namespace seals {

inline constexpr std::string_view operation = sealed<operation_content>;
inline constexpr std::string_view progress = sealed<operation_columns::progress>;
inline constexpr std::string_view page = "bulk_seal(operation, page, windows)";
inline constexpr std::string_view record = sealed<record_columns::sealed_state>;
inline constexpr std::string_view texts = sealed<record_columns::sealed_texts>;
inline constexpr std::string_view row_id = "bulk_seal(operation, row, id)";
inline constexpr std::string_view given_signal =
    "bulk_seal(sequence, operation, row, step, key, failure)";
inline constexpr std::string_view early_signal =
    "bulk_seal(number, operation, row, kept_until, key, failure)";
inline constexpr std::string_view retry =
    "bulk_seal(operation, row, step, retry_attempt, failure, failed_at, error_message, row_data)";
inline constexpr std::string_view crash = "bulk_seal(operation, row, step, count)";
inline constexpr std::string_view event = sealed<event_columns::all>;
inline constexpr std::string_view event_position = "bulk_seal(reader, position)";

}  // namespace seals

/// Where a seal is kept.
struct sealed_table {
    std::string_view name;
    std::string_view column;
    std::string_view seal;
};

inline constexpr std::array sealed_tables{
    sealed_table{"bulk_operations", "seal", seals::operation},
    sealed_table{"bulk_operations", "progress_seal", seals::progress},
    sealed_table{"bulk_pages", "seal", seals::page},
    sealed_table{"bulk_records", "seal", seals::record},
    sealed_table{"bulk_records", "texts_seal", seals::texts},
    sealed_table{"bulk_row_ids", "seal", seals::row_id},
    sealed_table{"bulk_given_signals", "seal", seals::given_signal},
    sealed_table{"bulk_early_signals", "seal", seals::early_signal},
    sealed_table{"bulk_retry_history", "seal", seals::retry},
    sealed_table{"bulk_crashes", "seal", seals::crash},
    sealed_table{"bulk_events", "seal", seals::event},
    sealed_table{"bulk_event_positions", "seal", seals::event_position},
};

namespace detail {

/// A value as one word. What a damaged header of a row makes of a value (NULL of a number, bytes of
/// a text) has another one, or means the same to whoever reads it.
inline std::uint64_t word_of(sqlite3_value* value) {
    switch (sqlite3_value_type(value)) {
        case SQLITE_INTEGER:
            return static_cast<std::uint64_t>(sqlite3_value_int64(value));
        case SQLITE_FLOAT:
            // Not its bits: one bit of a header makes a float of a whole number, with the same ones.
            return ~std::bit_cast<std::uint64_t>(sqlite3_value_double(value));
        case SQLITE_NULL:
            return 0x9e37'79b9'7f4a'7c15;
        default: {
            const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
            const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
            return content_hash(bytes == nullptr ? std::string_view{}
                                                 : std::string_view{bytes, size});
        }
    }
}

inline void seal_values(sqlite3_context* context, int count, sqlite3_value** values) {
    auto hash = static_cast<std::uint64_t>(count);
    for (int i = 0; i < count; ++i) hash = continued_hash(hash, word_of(values[i]));
    sqlite3_result_int(context, static_cast<int>(static_cast<std::int32_t>(hash >> 32)));
}

}  // namespace detail

/// Lets SQL of a connection call `bulk_seal`: 32 bits of XXH3 over its arguments. It is in no schema,
/// so that other programs can open the file, and change tables of their own in it.
[[nodiscard]] inline int add_seal_function(sqlite3* database) {
    return sqlite3_create_function_v2(database, "bulk_seal", -1,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                      nullptr, detail::seal_values, nullptr, nullptr, nullptr);
}

}  // namespace bulk::sqlite
