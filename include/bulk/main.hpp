// SPDX-License-Identifier: MIT
#pragma once

// A declaration as a whole program: `int main(int argc, char** argv) { return
// bulk::main<provisioning>(argc, argv); }`. See docs/guide/command-line.md. A program with feeds
// includes <bulk/feed_main.hpp>; one that links `bulk_http` has the verb `serve`.

#include <bulk/bulk.hpp>
#include <bulk/cli/program.hpp>
#include <bulk/cli/storage_settings.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/store_health.hpp>
#include <bulk/storage/any_storage.hpp>
#ifdef BULK_HTTP  // dependency('bulk-http') says so: the program can serve
#include <bulk/cli/serve_program.hpp>
#endif

#include <string>
#include <utility>
#include <vector>

namespace bulk {

namespace cli {

/// The standard streams, environment and signals of this process.
[[nodiscard]] surroundings surroundings_of_process();

}  // namespace cli

/// Does what the command line says with some operations and feeds, in any order; the exit code. On a storage of the caller's:
/// `open(const cli::storage_settings&)` gives it as a `result`.
template <typename... Declared, typename OpenStorage>
int main(int argc, char** argv, OpenStorage open) {
    return cli::run_program<Declared...>(std::move(open),
                                         std::vector<std::string>(argv, argv + argc),
                                         cli::surroundings_of_process());
}

/// One SQLite file, as a command line opens, copies, restores and examines it.
struct sqlite_file {
    [[nodiscard]] result<any_storage> operator()(const cli::storage_settings& settings) const;
    [[nodiscard]] static result<std::string> backup(const cli::storage_settings& settings,
                                                    const std::string& copy);
    [[nodiscard]] static result<std::string> restore(const cli::storage_settings& settings,
                                                     const std::string& copy);
    [[nodiscard]] static result<store_health> examine(const cli::storage_settings& settings,
                                                      bool check);
};

/// The same on one SQLite file beside the program: `--db`, or bulk.db.
template <typename... Declared>
int main(int argc, char** argv) {
    return bulk::main<Declared...>(argc, argv, sqlite_file{});
}

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/main_implementation.hpp>
#endif
