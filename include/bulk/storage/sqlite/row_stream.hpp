// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/sqlite/problem.hpp>
#include <bulk/storage/sqlite/statement.hpp>

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace bulk::sqlite {

/// Where the first thing that goes wrong is kept. Whoever has one may go on with what they do:
/// nothing is run any more, and in the end it is seen.
struct first_failure {
    std::string_view file;   ///< empty: this is SQL of a step
    std::string_view doing;  ///< for the message
    std::optional<error> first{};

    void note(int code, std::string_view words) {
        if (!first)
            first = file.empty() ? step_problem(code, words) : problem(file, doing, code, words);
    }
};

/// A statement that a connection keeps.
struct kept_statement {
    statement prepared;
    bool is_in_use = false;
};

/// The rows that a statement gives, one after the other. The statement is free again at its end.
class row_stream {
public:
    /// Gives nothing, as something went wrong.
    explicit row_stream(first_failure& noted) : noted_{&noted} {}

    row_stream(kept_statement& kept, first_failure& noted) : kept_{&kept}, noted_{&noted} {
        kept.is_in_use = true;
    }
    row_stream(statement once, first_failure& noted)
        : once_{std::make_unique<kept_statement>(std::move(once))},
          kept_{once_.get()},
          noted_{&noted} {}

    row_stream(row_stream&& other) noexcept
        : once_{std::move(other.once_)},
          kept_{std::exchange(other.kept_, nullptr)},
          noted_{other.noted_} {}
    row_stream& operator=(row_stream&&) = delete;

    ~row_stream() { end(); }

    /// Whether there is one more, which is then the row that is read.
    bool next() {
        if (kept_ == nullptr || noted_->first) return false;
        const int code = kept_->prepared.step();
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) {
            sqlite3* const database = sqlite3_db_handle(kept_->prepared.get());
            noted_->note(sqlite3_extended_errcode(database), sqlite3_errmsg(database));
        }
        end();
        return false;
    }

    /// The columns from the first on.
    template <typename... T>
    void read(T&... into) const {
        int column = 0;
        (kept_->prepared.read(column++, into), ...);
    }

    /// One column.
    template <typename T>
    void read_at(int column, T& into) const {
        kept_->prepared.read(column, into);
    }

    /// For the columns of a record (columns.hpp).
    [[nodiscard]] const statement& values() const { return kept_->prepared; }

    /// Bytes of a column, until the next row.
    [[nodiscard]] std::string_view view(int column) const { return kept_->prepared.view(column); }

private:
    void end() {
        if (kept_ == nullptr) return;
        kept_->prepared.reset();
        kept_->is_in_use = false;
        kept_ = nullptr;
    }

    std::unique_ptr<kept_statement> once_;
    kept_statement* kept_ = nullptr;
    first_failure* noted_;
};

}  // namespace bulk::sqlite
