// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/damage_list.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

namespace detail {

/// How damage in a table is named. The columns are those of the table, which is called `t`.
struct named_table {
    std::string_view name;
    std::string_view what;
    std::string_view operation;  ///< its id
    std::string_view first_row = "0";
    std::string_view last_row = "0";
    std::string_view step = "NULL";
};

inline constexpr std::string_view id_by_number =
    "(SELECT o.id FROM bulk_operations AS o WHERE o.number = t.operation)";

inline constexpr std::array named_tables{
    named_table{"bulk_operations", "record of the operation", "t.id"},
    named_table{"bulk_pages", "page of row records", id_by_number, "t.page * 4096 + 1",
                "t.page * 4096 + 4096"},
    named_table{"bulk_records", "record", id_by_number, "t.row", "t.row", "t.step"},
    named_table{"bulk_row_ids", "row id", id_by_number, "t.row", "t.row"},
    named_table{"bulk_given_signals", "signal", id_by_number, "t.row", "t.row", "t.step"},
    named_table{"bulk_early_signals", "signal for a later wait", id_by_number, "t.row", "t.row"},
    named_table{"bulk_retry_history", "earlier failure", id_by_number, "t.row", "t.row", "t.step"},
    named_table{"bulk_crashes", "number of crashes", id_by_number, "t.row", "t.row", "t.step"},
    named_table{"bulk_events", "event", "t.operation", "ifnull(t.row, 0)", "ifnull(t.row, 0)"},
    named_table{"bulk_event_positions", "position of an event reader", "NULL"},
};

[[nodiscard]] inline std::string damage_in(const named_table& table) {
    std::string intact;
    for (const auto& [name, column, seal] : sealed_tables)
        if (name == table.name)
            intact += concat(intact.empty() ? "" : " AND ", column, " IS ", seal);
    return concat("SELECT ", table.operation, ", ", table.first_row, ", ", table.last_row, ", ",
                  table.step, " FROM ", table.name, " AS t WHERE NOT (", intact, ')');
}

[[nodiscard]] inline std::map<std::string, std::string> schema_of(session& look) {
    std::map<std::string, std::string> all;
    auto row =
        look.rows("SELECT name, sql FROM sqlite_schema WHERE name LIKE 'bulk~_%' ESCAPE '~'");
    while (row.next()) {
        std::string name, sql;
        row.read(name, sql);
        all.emplace(std::move(name), std::move(sql));
    }
    return all;
}

}  // namespace detail

/// What SQLite itself finds: pages of the file that are lost or used twice, and indexes that do not
/// have what their tables have.
inline void check_structure(damage_list& into) {
    into.read("checking its structure", [&](session& look) {
        auto row = look.rows("PRAGMA integrity_check(100)");
        while (row.next())
            if (const auto said = row.view(0); said != "ok")
                into.add({.what = concat("structure of the file: ", said)});
    });
}

/// Whether tables and indexes are declared as the migrations declare them, up to a version.
inline void check_schema(damage_list& into, std::int64_t version) {
    auto model = connection::open(":memory:", {});
    if (!model) return into.add({.what = model.error().message});
    session building{**model, "building the schema"};
    const auto steps = std::span{migrations}.first(static_cast<std::size_t>(version));
    if (auto built = migrate(building, steps); !built)
        return into.add({.what = built.error().message});
    const auto wanted = detail::schema_of(building);
    into.read("checking its schema", [&](session& look) {
        auto found = detail::schema_of(look);
        for (const auto& [name, sql] : wanted)
            if (!look.failure() && found[name] != sql)
                into.add({.what = concat("schema of ", name, " is not what this program made")});
    });
}

/// Every row that has a seal.
inline void check_seals(damage_list& into) {
    for (const auto& table : detail::named_tables)
        into.read(concat("checking ", table.name), [&](session& look) {
            auto row = look.rows(detail::damage_in(table));
            while (!into.is_full() && row.next()) {
                std::optional<operation_id> id;
                stored_damage each{.what = concat("damaged ", table.what)};
                row.read(id, each.first_row, each.last_row, each.step);
                if (id)
                    each.operation = to_text(*id);
                else if (table.operation == detail::id_by_number)
                    each.what += " of an operation that is not found";
                into.add(std::move(each));
            }
        });
}

}  // namespace bulk::sqlite
