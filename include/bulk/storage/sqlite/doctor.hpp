// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/storage_options.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/storage/files/directory.hpp>
#include <bulk/storage/sqlite/connection.hpp>
#include <bulk/storage/sqlite/damage_list.hpp>
#include <bulk/storage/sqlite/migrate.hpp>
#include <bulk/storage/sqlite/obstacle.hpp>
#include <bulk/storage/sqlite/operation_check.hpp>
#include <bulk/storage/sqlite/schema.hpp>
#include <bulk/storage/sqlite/seal_check.hpp>
#include <bulk/storage/sqlite/session.hpp>
#include <bulk/storage/sqlite/state_lists.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <sys/statvfs.h>

namespace bulk::sqlite {

/// How much a doctor reads.
enum class examination : std::uint8_t {
    summary,     ///< a few numbers
    everything,  ///< every page, record and upload
};

namespace detail {

inline void read_summary(connection& used, store_health& health, damage_list& damage) {
    damage.read("reading its summary", [&](session& look) {
        const auto now = std::chrono::floor<timestamp::duration>(std::chrono::system_clock::now());
        const auto read = [&](std::string_view sql, auto& into) {
            auto row = look.rows(sql, now);
            if (row.next()) row.read(into);
        };
        read("PRAGMA journal_mode", health.journal_mode);
        read("SELECT count(*) FROM bulk_operations", health.operations);
        read(concat("SELECT count(*) FROM bulk_operations WHERE ", open_operation()),
             health.open_operations);
        read("SELECT count(*) FROM bulk_operations WHERE lease_until <= ?1", health.expired_leases);
    });
    const auto& path = used.path();
    if (const auto file = state_of(path)) health.size = static_cast<std::uint64_t>(file->size);
    if (const auto log = state_of(path + "-wal"))
        health.log_size = static_cast<std::uint64_t>(log->size);
    struct statvfs disk{};
    if (::statvfs(directory_of(path).c_str(), &disk) == 0)
        health.disk_free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

[[nodiscard]] inline result<store_health> examine(connection& used, bulk::files::directory& uploads,
                                                  examination how) {
    store_health health{.known_version = static_cast<std::int64_t>(migrations.size())};
    session look{used, "examining it"};
    look.execute("BEGIN");  // all of it at one moment
    const auto version = version_of(look, health.known_version);
    if (!version) return std::unexpected{version.error()};
    if (*version == 0)
        return fail(errc::invalid_argument, concat("database '", used.path(),
                                                   "' is empty: name a database of this program"));
    health.version = *version;
    damage_list damage{used};
    read_summary(used, health, damage);
    if (how == examination::everything) {
        health.is_checked = true;
        check_structure(damage);
        check_schema(damage, health.version);
        if (health.version >= first_sealed_version) {
            check_seals(damage);
            operation_check{damage, uploads}.check_all();
        }
    }
    damage.move_to(health);
    look.execute("COMMIT");
    if (look.failure()) return std::unexpected{*look.failure()};
    return health;
}

}  // namespace detail

/// Reads a database, whoever uses it meanwhile, and changes nothing: an older one stays what it is, and
/// has no checksums. Fails if it cannot be opened at all; whatever else is wrong is in the answer.
[[nodiscard]] inline result<store_health> examine(const std::string& path,
                                                  const sqlite_options& options = {},
                                                  examination how = examination::summary) {
    if (!state_of(path))
        return fail(errc::invalid_argument, concat("there is no database '", path, "'"));
    auto uploads = bulk::files::directory::attach(
        options.files_directory.empty() ? path + "-files" : options.files_directory);
    if (!uploads) return std::unexpected{uploads.error()};
    const auto look = [&](opening as) -> result<store_health> {
        auto opened = connection::open(path, options, as);
        if (!opened) return std::unexpected{opened.error()};
        return detail::examine(**opened, *uploads, how);
    };
    auto health = look(opening::normal);
    const auto log = state_of(path + "-wal");
    if (!health && health.error().code == errc::unavailable && (!log || log->size == 0) &&
        !obstacle_to_writing(path).empty())
        if (auto again = look(opening::as_it_is)) health = std::move(again);
    return health;
}

}  // namespace bulk::sqlite
