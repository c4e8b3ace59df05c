// SPDX-License-Identifier: MIT
#pragma once

// What `bulk::main` needs of the process and of SQLite: see core/linkage.hpp for who includes this.

#include <bulk/cli/process.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/main.hpp>
#include <bulk/storage/sqlite/backup.hpp>
#include <bulk/storage/sqlite/doctor.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <iostream>
#include <string>
#include <utility>

#include <unistd.h>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

namespace cli {

BULK_INLINE surroundings surroundings_of_process() {
    hold_standard_streams();
    interrupt::watch();
    explain_exhaustion();
    return {.out = screen_of(std::cout, STDOUT_FILENO),
            .err = screen_of(std::cerr, STDERR_FILENO),
            .variable = environment_variable,
            .is_interrupted = interrupt::is_requested};
}

}  // namespace cli

BULK_INLINE result<any_storage> sqlite_file::operator()(
    const cli::storage_settings& settings) const {
    auto opened = sqlite::storage::open(settings.path, settings.options);
    if (!opened) return std::unexpected{std::move(opened).error()};
    return any_storage{std::move(*opened)};
}
BULK_INLINE result<std::string> sqlite_file::backup(const cli::storage_settings& settings,
                                                    const std::string& copy) {
    if (auto done = sqlite::backup(settings.path, copy); !done)
        return std::unexpected{done.error()};
    return std::string{};
}
BULK_INLINE result<std::string> sqlite_file::restore(const cli::storage_settings& settings,
                                                     const std::string& copy) {
    return sqlite::restore(copy, settings.path);
}
BULK_INLINE result<store_health> sqlite_file::examine(const cli::storage_settings& settings,
                                                      bool check) {
    using enum sqlite::examination;
    return sqlite::examine(settings.path, settings.options, check ? everything : summary);
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
