// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace bulk::sqlite {

namespace detail {

struct advice {
    errc code;
    std::string_view text;
};

/// Of the storage's own SQL. No caller can correct that.
inline advice advice_for(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {errc::unavailable,
                    "another connection has held it for longer than busy_timeout: try again"};
        case SQLITE_FULL:
            return {errc::unavailable, "the disk is full: make room, then try again"};
        case SQLITE_IOERR:
            return {errc::unavailable,
                    "the disk does not do what it is asked for: look at the system's log"};
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return {errc::unavailable,
                    "let this program write the file and create files beside it"};
        case SQLITE_CANTOPEN:
            return {errc::unavailable,
                    "it must be a file, in a directory that there is and that this program may "
                    "write"};
        case SQLITE_CORRUPT:
            return {errc::unavailable, "the file is damaged: bring back a copy of it"};
        case SQLITE_NOTADB:
            return {errc::unavailable, "name another file, or bring back a copy of this one"};
        case SQLITE_CONSTRAINT:
        case SQLITE_AUTH:
        case SQLITE_ERROR:
        case SQLITE_RANGE:
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
        case SQLITE_MISUSE:
            return {errc::unavailable, "this is a bug in bulk: report it with this message"};
        default:
            return {errc::unavailable, "try again"};
    }
}

/// Of the SQL of a step, which its author can correct.
inline advice advice_for_step(int code) {
    switch (code & 0xff) {
        case SQLITE_CONSTRAINT:
            return {errc::step_failed, "a constraint of the table does not allow it"};
        case SQLITE_AUTH:
            return {errc::invalid_argument,
                    "a step may neither begin nor end transactions, nor change settings or the "
                    "tables of bulk: those that begin with bulk_"};
        case SQLITE_ERROR:
        case SQLITE_RANGE:
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
        case SQLITE_MISUSE:
            return {errc::invalid_argument, "correct the statement"};
        default:
            return advice_for(code);
    }
}

}  // namespace detail

/// What SQLite said, with the file, what was being done, and what can be done about it.
[[nodiscard]] inline error problem(std::string_view file, std::string_view doing, int code,
                                   std::string_view words) {
    const int kind = code & 0xff;
    const bool is_full = kind == SQLITE_IOERR && is_disk_full(file);
    const auto advice = detail::advice_for(is_full ? SQLITE_FULL : code);
    const bool is_about_writing = kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN ||
                                  kind == SQLITE_PERM || kind == SQLITE_FULL || is_full;
    const std::string cause = is_about_writing ? obstacle_to_writing(file) : std::string{};
    return {advice.code, concat("database '", file, "', ", doing, ": ", words, " (SQLite ", code,
                                cause.empty() ? "" : "; ", cause, "); ", advice.text)};
}

/// The same of a step's SQL. It becomes the error of a row, which many may read: it has no path.
[[nodiscard]] inline error step_problem(int code, std::string_view words) {
    const auto advice = detail::advice_for_step(code);
    return {advice.code,
            concat("running SQL of a step: ", words, " (SQLite ", code, "); ", advice.text)};
}

}  // namespace bulk::sqlite
