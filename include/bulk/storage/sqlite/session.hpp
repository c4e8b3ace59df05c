// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>

#include <sqlite3.h>

#include <cstdint>
#include <string_view>

namespace bulk::sqlite {

/// A connection within one transaction. Once something has failed, nothing is run any more and no
/// statement gives a row: what was found out after that means nothing, and whoever opened the
/// transaction answers with the failure.
class session {
public:
    session(connection& used, std::string_view doing)
        : used_{used}, noted_{.file = used.path(), .doing = doing} {}
    session(const session&) = delete;

    template <typename... Args>
    [[nodiscard]] row_stream rows(std::string_view sql, const Args&... args) {
        return used_.run(noted_, sql, args...);
    }

    /// How many rows it has changed; none once something has failed.
    template <typename... Args>
    std::uint64_t execute(std::string_view sql, const Args&... args) {
        auto stream = rows(sql, args...);
        while (stream.next()) {
        }
        if (noted_.first) return 0;
        return static_cast<std::uint64_t>(sqlite3_changes64(used_.handle()));
    }

    /// The key of what was inserted last.
    [[nodiscard]] std::int64_t inserted() const {
        return sqlite3_last_insert_rowid(used_.handle());
    }

    /// What else can go wrong: what was read makes no sense.
    void note(error wrong) {
        if (!noted_.first) noted_.first = std::move(wrong);
    }

    [[nodiscard]] const std::optional<error>& failure() const { return noted_.first; }
    [[nodiscard]] connection& used() { return used_; }

private:
    connection& used_;
    first_failure noted_;
};

}  // namespace bulk::sqlite
