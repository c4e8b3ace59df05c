// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/retry_history.hpp>
#include <bulk/storage/retry_order.hpp>
#include <bulk/storage/retry_selection.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/record_columns.hpp>
#include <bulk/storage/sqlite/row_scope.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// What failed and was tried again, of one operation, within a transaction.
class retry_table {
public:
    retry_table(session& database, operation_id id, std::int64_t operation)
        : database_{database}, id_{id}, operation_{operation} {}

    /// By a few statements, however many there are.
    [[nodiscard]] retry_submission reset_failed(const retry_selection& selection) {
        const reset_scope scope{selection};
        retry_submission made{.refused = refused(scope)};
        {
            auto row = ask(scope, concat("SELECT count(*), ifnull(sum(", scope.can_be_reset,
                                         "), 0) FROM bulk_records WHERE ", scope.matches));
            std::uint64_t all = 0;
            if (row.next()) row.read(all, made.submitted);
            made.skipped = all - made.submitted;
        }
        if (made.submitted == 0) return made;
        note_damage(scope);
        run(scope,
            "INSERT OR REPLACE INTO bulk_retry_history (operation, row, step, retry_attempt, "
            "failure, failed_at, error_message, row_data, seal) SELECT operation, row, step, "
            "retry_attempt, failure, completed_at, error_message, row_data, bulk_seal(operation, "
            "row, step, retry_attempt, failure, completed_at, error_message, row_data) FROM "
            "bulk_records");
        run(scope, concat("UPDATE bulk_records SET ", assigned(record_columns::reset),
                          ", seal = ", seal_of(record_columns::sealed_state, record_columns::reset),
                          ", texts_seal = ",
                          seal_of(record_columns::sealed_texts, record_columns::reset)));
        return made;
    }

    [[nodiscard]] page<retry_entry> history(const retry_history_query& query,
                                            const std::optional<retry_order>& after) {
        std::string matches = " FROM bulk_retry_history WHERE operation = ?1";
        if (query.row) matches += " AND row = ?2";
        if (query.step) matches += " AND step = ?3";
        if (query.retry_attempt) matches += " AND retry_attempt = ?4";
        const auto from = after.value_or(retry_order{});
        const auto ask = [&](std::string_view sql) {
            return database_.rows(sql, operation_, query.row, query.step, query.retry_attempt,
                                  from.place.row(), from.place.step(), from.attempt,
                                  query.page_size);
        };
        page<retry_entry> found;
        if (auto row = ask(concat("SELECT count(*)", matches)); row.next()) row.read(found.total);
        static_assert(to_number(validation_step) == -1);
        // A step that kept no data of the row has failed with what its validation kept, which
        // nothing changes: it is stored once, and not again with every retry.
        auto row = ask(concat(
            "SELECT row, step, retry_attempt, failure, error_message, failed_at, "
            "CASE row_data WHEN '' THEN ifnull((SELECT kept.row_data FROM bulk_records AS "
            "kept WHERE kept.operation = ?1 AND kept.row = bulk_retry_history.row AND "
            "kept.step = -1), '') ELSE row_data END, seal IS ",
            seals::retry, matches, !after ? "" : " AND (row, step, retry_attempt) > (?5, ?6, ?7)",
            " ORDER BY row, step, retry_attempt LIMIT ?8"));
        while (row.next()) {
            auto& each = found.items.emplace_back(retry_entry{.operation = id_});
            if (found.items.size() == query.page_size) break;  // it is only counted
            bool is_intact = false;
            row.read(each.row, each.step, each.retry_attempt, each.failure, each.error_message,
                     each.failed_at, each.row_data, is_intact);
            if (!is_intact)
                database_.note(damaged_row(id_, each.row, "earlier failure", each.step));
        }
        return found;
    }

private:
    /// The records that were selected, and those of them that can be reset, as conditions in SQL.
    struct reset_scope {
        explicit reset_scope(const retry_selection& selection)
            : filter{selection.filter()},
              rows{filter.rows ? json_of(*filter.rows) : std::string{}},
              excluded{json_of(selection.excluded())} {
            if (filter.failure) matches += " AND failure = ?3";
            if (filter.rows) matches += " AND row IN (SELECT value FROM json_each(?4))";
        }

        const retry_filter& filter;
        std::string rows;
        std::string excluded;  ///< steps
        std::string matches =
            concat("operation = ?1 AND state IN (", numbers_of<row_state>(is_resettable),
                   ") AND step >= 0 AND step = ifnull(?2, step)");
        std::string can_be_reset = concat(
            "step NOT IN (SELECT value FROM json_each(?5)) AND (failure IS NULL OR failure IN (",
            numbers_of<error_type>(is_retryable), "))");
    };

    [[nodiscard]] row_stream ask(const reset_scope& scope, std::string_view sql) {
        return database_.rows(sql, operation_, scope.filter.step, scope.filter.failure, scope.rows,
                              scope.excluded);
    }

    /// Changes what can be reset.
    void run(const reset_scope& scope, std::string_view sql) {
        auto row = ask(scope, concat(sql, " WHERE ", scope.matches, " AND ", scope.can_be_reset));
        while (row.next()) {
        }
    }

    /// The first of those whose step must not be tried again.
    [[nodiscard]] std::vector<std::pair<row_number, step_index>> refused(const reset_scope& scope) {
        std::vector<std::pair<row_number, step_index>> places;
        auto row = ask(scope, concat("SELECT row, step FROM bulk_records WHERE ", scope.matches,
                                     " AND step IN (SELECT value FROM json_each(?5)) ORDER BY row, "
                                     "step LIMIT ",
                                     retry_selection::most_refused));
        while (row.next()) {
            auto& place = places.emplace_back();
            row.read(place.first, place.second);
        }
        return places;
    }

    /// What is damaged would be sealed as it is.
    void note_damage(const reset_scope& scope) {
        auto row =
            ask(scope, concat("SELECT row, step FROM bulk_records WHERE ", scope.matches, " AND ",
                              scope.can_be_reset, " AND NOT (seal IS ", seals::record,
                              " AND texts_seal IS ", seals::texts, ") LIMIT 1"));
        if (!row.next()) return;
        row_number damaged{};
        step_index step{};
        row.read(damaged, step);
        database_.note(damaged_row(id_, damaged, "record", step));
    }

    session& database_;
    operation_id id_;
    std::int64_t operation_;
};

}  // namespace bulk::sqlite
