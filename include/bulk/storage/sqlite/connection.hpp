// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/storage/sqlite/problem.hpp>
#include <bulk/storage/sqlite/row_stream.hpp>
#include <bulk/storage/sqlite/seal.hpp>
#include <bulk/storage/sqlite/statement.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bulk::sqlite {

/// How a file is opened. `as_it_is` reads a file that nobody changes, and needs no other file beside
/// it: for a disk that cannot be written.
enum class opening : std::uint8_t {
    normal,
    as_it_is,
    shared,  ///< SQLite guards it by a mutex: for a step's transaction, which is watched
};

/// One connection to a database file, for one thread at a time. Statements are prepared once.
///
/// A step that writes in the transaction which records it is given one of these: `execute`, `value`
/// and `rows` run its SQL, `handle` is SQLite's own. Neither can begin or end a transaction, or
/// change the tables of bulk.
class connection {
public:
    [[nodiscard]] static result<std::unique_ptr<connection>> open(const std::string& path,
                                                                  const sqlite_options& options,
                                                                  opening how = opening::normal) {
        sqlite3* raw = nullptr;
        const bool as_it_is = how == opening::as_it_is;
        const int flags = (how == opening::shared ? SQLITE_OPEN_FULLMUTEX : SQLITE_OPEN_NOMUTEX) |
                          (as_it_is ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                    : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        const std::string name = as_it_is ? uri_of(path) : path;
        const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
        std::unique_ptr<connection> made{new connection{raw, path, how}};
        if (code != SQLITE_OK)
            return std::unexpected{
                problem(path, "opening it", code,
                        raw == nullptr ? "there is no memory for it" : sqlite3_errmsg(raw))};
        sqlite3_extended_result_codes(raw, 1);
        sqlite3_busy_timeout(
            raw, static_cast<int>(std::min<std::int64_t>(options.busy_timeout.count(), INT_MAX)));
        if (const int added = add_seal_function(raw); added != SQLITE_OK)
            return std::unexpected{problem(path, "opening it", added, sqlite3_errmsg(raw))};
        sqlite3_set_authorizer(raw, authorize, made.get());
        return made;
    }

    connection(connection&&) = delete;
    ~connection() = default;

    /// Runs one statement to its end.
    template <typename... Args>
    [[nodiscard]] result<> execute(std::string_view sql, const Args&... args) {
        return visit(sql, [](const row_stream&) { return true; }, args...);
    }

    /// The first column of the first row, if there is one.
    template <typename T, typename... Args>
    [[nodiscard]] result<std::optional<T>> value(std::string_view sql, const Args&... args) {
        std::optional<T> found;
        const auto read = [&](const row_stream& row) {
            row.read(found);
            return false;
        };
        if (auto done = visit(sql, read, args...); !done) return std::unexpected{done.error()};
        return found;
    }

    /// Every row, its columns as these types; `std::optional` where there may be NULL.
    template <typename... Columns, typename... Args>
    [[nodiscard]] result<std::vector<std::tuple<Columns...>>> rows(std::string_view sql,
                                                                   const Args&... args) {
        std::vector<std::tuple<Columns...>> found;
        const auto read = [&](const row_stream& row) {
            std::apply([&](auto&... into) { row.read(into...); }, found.emplace_back());
            return true;
        };
        if (auto done = visit(sql, read, args...); !done) return std::unexpected{done.error()};
        return found;
    }

    /// SQLite's own. What belongs to it must be gone before the transaction ends.
    [[nodiscard]] sqlite3* handle() const { return database_.get(); }

    [[nodiscard]] const std::string& path() const { return path_; }

    /// For the storage: a statement with the values of its parameters, as many as it has of those
    /// that are given.
    template <typename... Args>
    [[nodiscard]] row_stream run(first_failure& noted, std::string_view sql, const Args&... args) {
        if (noted.first) return row_stream{noted};
        return prepared(noted, sql, [&](const statement& made) {
            parameters values{made};
            (values.add(args), ...);
            return values.code(is_guarded_);
        });
    }

    [[nodiscard]] opening how() const { return how_; }
    /// Whether SQLite found out, when it opened the file, that it cannot write it.
    [[nodiscard]] bool is_read_only() const { return sqlite3_db_readonly(handle(), "main") == 1; }

    /// Whether a transaction is open.
    [[nodiscard]] bool is_in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

    /// From now on SQL is not ours: what it may do is restricted. Gives what was before.
    bool guard(bool is_guarded) { return std::exchange(is_guarded_, is_guarded); }

private:
    connection(sqlite3* raw, std::string path, opening how)
        : database_{raw}, path_{std::move(path)}, how_{how} {}

    [[nodiscard]] static std::string uri_of(std::string_view path) {
        std::string uri = "file:";
        for (const char c : path) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '%' || c == '?' || c == '#')
                uri.append({'%', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 0xf]});
            else
                uri += c;
        }
        return uri + "?immutable=1";
    }

    template <typename Visit, typename... Args>
    [[nodiscard]] result<> visit(std::string_view sql, Visit read, const Args&... args) {
        const bool was_in_transaction = is_in_transaction();
        first_failure noted{.file = {}, .doing = {}};
        {
            auto stream = run(noted, sql, args...);
            while (stream.next())
                if (!read(std::as_const(stream))) break;
        }
        if (noted.first) return std::unexpected{*noted.first};
        if (was_in_transaction && !is_in_transaction())
            return fail(
                errc::invalid_argument,
                "SQL of a step has ended its transaction, whose changes are lost; a step may "
                "not do that");
        return {};
    }

    template <typename Bind>
    [[nodiscard]] row_stream prepared(first_failure& noted, std::string_view sql, Bind bind) {
        auto& kept = is_guarded_ ? of_steps_ : own_;
        auto found = kept.find(sql);
        if (found == kept.end() || found->second.is_in_use) {
            sqlite3_stmt* raw = nullptr;
            const char* rest = nullptr;
            const int code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()),
                                                SQLITE_PREPARE_PERSISTENT, &raw, &rest);
            statement made{raw};
            if (code != SQLITE_OK) {
                noted.note(code, sqlite3_errmsg(handle()));
                return row_stream{noted};
            }
            if (raw == nullptr ||
                !is_blank(sql.substr(static_cast<std::size_t>(rest - sql.data())))) {
                noted.note(SQLITE_MISUSE, "this is not one statement");
                return row_stream{noted};
            }
            if (found != kept.end()) {
                if (const int bound = bind(made); bound != SQLITE_OK) {
                    noted.note(bound, "values do not fit the statement's parameters");
                    return row_stream{noted};
                }
                return row_stream{std::move(made), noted};
            }
            if (kept.size() >= most_statements)
                std::erase_if(kept, [](const auto& each) { return !each.second.is_in_use; });
            found = kept.emplace(sql, kept_statement{std::move(made)}).first;
        }
        if (const int bound = bind(found->second.prepared); bound != SQLITE_OK) {
            noted.note(bound, "values do not fit the statement's parameters");
            return row_stream{noted};
        }
        return row_stream{found->second, noted};
    }

    /// What SQL of a step may be about.
    static int authorize(void* self, int action, const char* first, const char* second, const char*,
                         const char*) {
        if (!static_cast<const connection*>(self)->is_guarded_) return SQLITE_OK;
        const auto is_ours = [](const char* name) {
            return name != nullptr && std::string_view{name}.starts_with("bulk_");
        };
        switch (action) {
            case SQLITE_READ:
            case SQLITE_SELECT:
            case SQLITE_FUNCTION:
            case SQLITE_RECURSIVE:
                return SQLITE_OK;
            case SQLITE_TRANSACTION:
            case SQLITE_SAVEPOINT:
            case SQLITE_ATTACH:
            case SQLITE_DETACH:
            case SQLITE_PRAGMA:
                return SQLITE_DENY;
            default:
                return is_ours(first) || is_ours(second) ? SQLITE_DENY : SQLITE_OK;
        }
    }

    /// Users may write values into their SQL instead of binding them.
    static constexpr std::size_t most_statements = 256;

    struct close {
        void operator()(sqlite3* each) const { sqlite3_close_v2(each); }
    };
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::unique_ptr<sqlite3, close> database_;
    std::string path_;
    opening how_;
    bool is_guarded_ = false;
    using statements = std::unordered_map<std::string, kept_statement, text_hash, std::equal_to<>>;
    statements own_;       ///< never asked for what they may do
    statements of_steps_;  ///< prepared under guard
};

}  // namespace bulk::sqlite
