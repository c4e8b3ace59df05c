// SPDX-License-Identifier: MIT
#pragma once

// A declaration as a whole program: `int main(int argc, char** argv) { return
// bulk::main<provisioning>(argc, argv); }`. See docs/guide/command-line.md. A program with feeds
// includes <bulk/feed_main.hpp>; one that links `bulk_http` has the verb `serve`.

#include <bulk/bulk.hpp>
#include <bulk/cli/process.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/storage/sqlite/backup.hpp>
#include <bulk/storage/sqlite/doctor.hpp>
#include <bulk/storage/sqlite/storage.hpp>
#ifdef BULK_HTTP  // dependency('bulk-http') says so: the program can serve
#include <bulk/cli/serve_program.hpp>
#endif

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace bulk {

/// Does what the command line says with some operations and feeds, in any order; the exit code. On a storage of the caller's:
/// `open(const cli::storage_settings&)` gives it as a `result`.
template <typename... Declared, typename OpenStorage>
int main(int argc, char** argv, OpenStorage open) {
    cli::hold_standard_streams();
    cli::interrupt::watch();
    cli::explain_exhaustion();
    return cli::run_program<Declared...>(std::move(open),
                                         std::vector<std::string>(argv, argv + argc),
                                         {.out = cli::screen_of(std::cout, STDOUT_FILENO),
                                          .err = cli::screen_of(std::cerr, STDERR_FILENO),
                                          .variable = cli::environment_variable,
                                          .is_interrupted = cli::interrupt::is_requested});
}

/// One SQLite file, as a command line opens, copies, restores and examines it.
struct sqlite_file {
    [[nodiscard]] result<sqlite::storage> operator()(const cli::storage_settings& settings) const {
        return sqlite::storage::open(settings.path, settings.options);
    }
    [[nodiscard]] static result<std::string> backup(const cli::storage_settings& settings,
                                                    const std::string& copy) {
        if (auto done = sqlite::backup(settings.path, copy); !done)
            return std::unexpected{done.error()};
        return std::string{};
    }
    [[nodiscard]] static result<std::string> restore(const cli::storage_settings& settings,
                                                     const std::string& copy) {
        return sqlite::restore(copy, settings.path);
    }
    [[nodiscard]] static result<store_health> examine(const cli::storage_settings& settings,
                                                      bool check) {
        using enum sqlite::examination;
        return sqlite::examine(settings.path, settings.options, check ? everything : summary);
    }
};

/// The same on one SQLite file beside the program: `--db`, or bulk.db.
template <typename... Declared>
int main(int argc, char** argv) {
    return bulk::main<Declared...>(argc, argv, sqlite_file{});
}

}  // namespace bulk
