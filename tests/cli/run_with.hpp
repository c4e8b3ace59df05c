// How a stage's program runs with some declarations. Heavy: for the units that compile programs.
#pragma once

#include "stage.hpp"

#include <bulk/cli/program.hpp>

#include <sstream>

namespace stage {

template <typename... Declared>
answer run_with(program& on, program::words command) {
    std::ostringstream out, err;
    if (on.is_output_broken) out.setstate(std::ios::badbit);
    command.insert(command.begin(), "/usr/bin/app");
    const auto open =
        [&](const bulk::cli::storage_settings& settings) -> bulk::result<bulk::memory::storage> {
        ++on.opened;
        on.opened_path = settings.path;
        if (on.broken) return std::unexpected{*on.broken};
        return on.storage;
    };
    const auto screen = [&](std::ostream& stream) {
        return bulk::cli::screen{.stream = stream,
                                 .is_terminal = on.is_terminal,
                                 .has_color = on.has_color,
                                 .width = on.width};
    };
    const int code = bulk::cli::run_program<Declared...>(
        open, command,
        {.out = screen(out),
         .err = screen(err),
         .variable = [&](const std::string& name) -> std::optional<std::string> {
             const auto found = on.environment.find(name);
             if (found == on.environment.end()) return std::nullopt;
             return found->second;
         },
         .now = on.now,
         .is_interrupted =
             [&] {
                 if (on.before_interruption) on.before_interruption();
                 return on.interrupted.load();
             }});
    return {.code = code, .out = out.str(), .err = err.str()};
}

}  // namespace stage
