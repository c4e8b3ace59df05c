// SPDX-License-Identifier: MIT
#pragma once

// A declaration as a whole program: `int main(int argc, char** argv) { return
// bulk::main<provisioning>(argc, argv); }`. See docs/guide/command-line.md. A program with feeds
// includes <bulk/feed_main.hpp>.

#include <bulk/bulk.hpp>
#include <bulk/cli/process.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/storage/sqlite/storage.hpp>

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
    cli::interrupt::watch();
    return cli::run_program<Declared...>(std::move(open),
                                         std::vector<std::string>(argv, argv + argc),
                                         {.out = cli::screen_of(std::cout, STDOUT_FILENO),
                                          .err = cli::screen_of(std::cerr, STDERR_FILENO),
                                          .variable = cli::environment_variable,
                                          .is_interrupted = cli::interrupt::is_requested});
}

/// The same on one SQLite file beside the program: `--db`, or bulk.db.
template <typename... Declared>
int main(int argc, char** argv) {
    return bulk::main<Declared...>(argc, argv, [](const cli::storage_settings& settings) {
        return sqlite::storage::open(settings.path, settings.options);
    });
}

}  // namespace bulk
