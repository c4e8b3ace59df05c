// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/sqlite/problem.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/session.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::sqlite {

namespace detail {

struct database_header {
    std::uint32_t application = 0;
    std::int64_t version = 0;
    bool is_empty = false;
};

inline database_header header_of(session& database) {
    database_header header;
    const auto read = [&](std::string_view sql, auto& into) {
        auto row = database.rows(sql);
        if (row.next()) row.read(into);
    };
    read("PRAGMA application_id", header.application);
    read("PRAGMA user_version", header.version);
    read("SELECT NOT EXISTS (SELECT * FROM sqlite_schema)", header.is_empty);
    return header;
}

inline std::string hexadecimal(std::uint32_t number) {
    std::string text = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 0xf];
    return text;
}

/// The seals of `sealed_tables`, each over those of its columns that the database has by now; empty without any.
inline std::vector<std::string> present_seals(session& database) {
    constexpr std::string_view head = "bulk_seal(", link = ", ";
    std::vector<std::string> all;
    for (const auto& table : sealed_tables) {
        std::vector<std::string> present;
        auto row = database.rows("SELECT name FROM pragma_table_info(?1)", table.name);
        while (row.next()) row.read(present.emplace_back());
        auto& seal = all.emplace_back();
        auto rest = table.seal.substr(head.size(), table.seal.size() - head.size() - 1);
        while (!rest.empty()) {
            const auto column = rest.substr(0, rest.find(link));
            rest.remove_prefix(std::min(rest.size(), column.size() + link.size()));
            if (std::ranges::find(present, column) != present.end())
                seal += concat(seal.empty() ? head : link, column);
        }
        if (!seal.empty()) seal += ')';
    }
    return all;
}

}  // namespace detail

/// The version of a database, if it is one of ours and of no later version than `known`; 0 if it is
/// empty.
[[nodiscard]] inline result<std::int64_t> version_of(session& database, std::int64_t known) {
    const auto header = detail::header_of(database);
    const auto& path = database.used().path();
    if (database.failure()) return std::unexpected{*database.failure()};
    if (header.application == 0 && header.version == 0 && header.is_empty) return 0;
    if (header.application != application_id)
        return fail(
            errc::invalid_argument,
            concat("database '", path, "' belongs to another program (its application id is ",
                   detail::hexadecimal(header.application), ", ours is ",
                   detail::hexadecimal(application_id), "): name another file"));
    if (header.version > known)
        return fail(
            errc::invalid_argument,
            concat("database '", path, "' is of version ", header.version,
                   ", this program knows versions up to ", known, ": use the newer program"));
    return header.version;
}

/// Brings a database to the newest version. A column that a step adds to a sealed table is sealed with the others.
/// Within a write transaction.
[[nodiscard]] inline result<> migrate(session& database, std::span<const migration> steps) {
    const auto known = static_cast<std::int64_t>(steps.size());
    const auto version = version_of(database, known);
    if (!version) return std::unexpected{version.error()};
    sqlite3* const handle = database.used().handle();
    const auto run = [&](const std::string& sql) -> result<> {
        const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) return {};
        return std::unexpected{problem(database.used().path(), "bringing it to the newest version",
                                       code, sqlite3_errmsg(handle))};
    };
    if (*version == known) return {};
    const bool was_sealed = *version >= first_sealed_version;
    const auto before = detail::present_seals(database);
    for (auto next = *version; next < known; ++next)
        if (auto done = run(std::string{steps[static_cast<std::size_t>(next)]}); !done) return done;
    const auto after = detail::present_seals(database);
    if (database.failure()) return std::unexpected{*database.failure()};
    // What is damaged is not sealed again, and stays damaged.
    for (std::size_t i = 0; known >= first_sealed_version && i < after.size(); ++i) {
        const auto& [table, column, seal] = sealed_tables[i];
        if (was_sealed && before[i] == after[i]) continue;
        const auto intact =
            was_sealed && !before[i].empty() ? concat(" WHERE ", column, " IS ", before[i]) : "";
        if (auto done = run(concat("UPDATE ", table, " SET ", column, " = ", after[i], intact));
            !done)
            return done;
    }
    return run(
        concat("PRAGMA application_id = ", application_id, "; PRAGMA user_version = ", known));
}

}  // namespace bulk::sqlite
