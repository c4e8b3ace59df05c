// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/storage/sqlite/columns.hpp>
#include <bulk/storage/sqlite/operation_columns.hpp>
#include <bulk/storage/sqlite/row_table.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/step_moves.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

/// Moves everything that an operation's tables know of steps to where the steps stand now.
class step_mover {
public:
    step_mover(row_table& rows, const step_moves& to)
        : rows_{rows}, database_{rows.database()}, to_{to} {}

    void move_all() {
        move_in({.name = "bulk_records", .seal = seals::record, .texts_seal = seals::texts});
        move_in({.name = "bulk_given_signals", .seal = seals::given_signal});
        move_in({.name = "bulk_retry_history", .seal = seals::retry});
        for (const auto page : pages()) rows_.put_page(page, rows_.page(page).moved_to(to_));
        static const auto sql = concat(
            "UPDATE bulk_operations SET last_step = ?2, progress_seal = ",
            seal_of(operation_columns::progress, {{"last_step", "?2"}}), " WHERE number = ?1");
        database_.execute(sql, rows_.operation(), moved(last_step(), to_));
    }

private:
    struct table {
        std::string_view name;
        std::string_view seal;
        std::string_view texts_seal{};  ///< empty: it has none
    };

    /// What is damaged is not moved: it would be sealed as it is.
    void check(const table& in) {
        auto row = database_.rows(
            concat("SELECT row, step FROM ", in.name, " WHERE operation = ?1 AND NOT (seal IS ",
                   in.seal,
                   in.texts_seal.empty() ? "" : concat(" AND texts_seal IS ", in.texts_seal),
                   ") LIMIT 1"),
            rows_.operation());
        row_number damaged{};
        step_index step{};
        if (!row.next()) return;
        row.read(damaged, step);
        rows_.note_damage(damaged, "record", step);
    }

    /// Through numbers that no step has: on its way a row has no two records of one step.
    void move_in(const table& in) {
        static_assert(to_number(validation_step) == -1, "it stays: steps move through -2 and less");
        check(in);
        std::string there;
        for (const auto each : to_) there += concat(there.empty() ? "[" : ",", to_number(each));
        database_.execute(concat("UPDATE ", in.name,
                                 " SET step = -2 - ifnull((SELECT value FROM json_each(?2) WHERE "
                                 "key = step), step) WHERE operation = ?1 AND step >= 0"),
                          rows_.operation(), there + ']');
        database_.execute(
            concat("UPDATE ", in.name, " SET step = -2 - step WHERE operation = ?1 AND step < -1"),
            rows_.operation());
        database_.execute(
            concat("UPDATE ", in.name, " SET seal = ", in.seal,
                   in.texts_seal.empty() ? "" : concat(", texts_seal = ", in.texts_seal),
                   " WHERE operation = ?1"),
            rows_.operation());
    }

    [[nodiscard]] std::vector<std::uint64_t> pages() {
        std::vector<std::uint64_t> all;
        auto row =
            database_.rows("SELECT page FROM bulk_pages WHERE operation = ?1", rows_.operation());
        while (row.next()) row.read(all.emplace_back());
        return all;
    }

    [[nodiscard]] step_index last_step() {
        step_index last = validation_step;
        auto row = database_.rows("SELECT last_step FROM bulk_operations WHERE number = ?1",
                                  rows_.operation());
        if (row.next()) row.read(last);
        return last;
    }

    row_table& rows_;
    session& database_;
    const step_moves& to_;
};

}  // namespace bulk::sqlite
