// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/page.hpp>
#include <bulk/core/query.hpp>
#include <bulk/storage/operation_order.hpp>
#include <bulk/storage/sqlite/damage.hpp>
#include <bulk/storage/sqlite/operation_select.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

/// Answers one query for operations.
class operation_search {
public:
    operation_search(session& database, const operation_query& query)
        : database_{database}, query_{query} {}

    [[nodiscard]] page<operation_record> records(const std::optional<operation_order>& after) {
        page<operation_record> found;
        if (query_.with_total) {
            auto row = ask("SELECT count(*) FROM bulk_operations", "", {});
            if (row.next()) row.read(found.total);
        }
        const auto [is_behind, direction] =
            query_.descending ? std::pair{'<', " DESC"} : std::pair{'>', ""};
        std::string rest;
        if (after)
            rest = concat(" AND (", column(), ", id) ", is_behind, " (",
                          query_.sort == operation_sort::name ? "?7" : "?6", ", ?8)");
        rest += concat(" ORDER BY ", column(), direction, ", id", direction, " LIMIT ",
                       query_.page_size);
        auto row = ask(operation_select::sql(""), rest, after.value_or(operation_order{}));
        while (row.next()) {
            auto each = operation_select::from(row);
            // Listed, so that the others can be: what it says of itself is this.
            if (each.damage) each.record.error_message = each.damage->message;
            found.items.push_back(std::move(each.record));
        }
        return found;
    }

private:
    [[nodiscard]] std::string_view column() const {
        switch (query_.sort) {
            case operation_sort::name:
                return "folded_name";
            case operation_sort::state:
                return "state";
            case operation_sort::total_rows:
                return "total";
            case operation_sort::processed_rows:
                return "processed";
            default:
                return "created_at";
        }
    }

    /// With the conditions of the query.
    [[nodiscard]] row_stream ask(std::string_view select, std::string_view rest,
                                 const operation_order& after) {
        std::string sql = concat(select, " WHERE true");
        if (query_.state) sql += " AND state = ?1";
        if (query_.created_from) sql += " AND created_at >= ?2";
        if (query_.created_to) sql += " AND created_at <= ?3";
        if (!query_.name_contains.empty()) sql += " AND instr(folded_name, ?4) > 0";
        if (!query_.created_by_contains.empty()) sql += " AND instr(lower(created_by), ?5) > 0";
        if (!query_.source.empty()) sql += " AND source = ?9";
        sql += rest;
        return database_.rows(sql, query_.state, query_.created_from, query_.created_to,
                              folded(query_.name_contains), folded(query_.created_by_contains),
                              after.number, after.text, after.id, query_.source);
    }

    session& database_;
    const operation_query& query_;
};

}  // namespace bulk::sqlite
