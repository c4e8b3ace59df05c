// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/screen.hpp>
#include <bulk/core/clock.hpp>

#include <functional>
#include <optional>
#include <string>

namespace bulk::cli {

/// Where a program runs. A test brings its own; `bulk::main` brings the process's.
struct surroundings {
    screen out;
    screen err;
    std::function<std::optional<std::string>(const std::string&)> variable{};  ///< environment
    std::function<timestamp()> now = [] { return system_clock{}.now(); };
    std::function<bool()> is_interrupted = [] { return false; };
};

}  // namespace bulk::cli
