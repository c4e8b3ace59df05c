// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/screen.hpp>
#include <bulk/cli/session.hpp>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace bulk::cli {

// What a program finds around it when it is a process of its own.

[[nodiscard]] inline std::optional<std::string> environment_variable(const std::string& name) {
    const char* const said = std::getenv(name.c_str());
    return said == nullptr ? std::nullopt : std::optional<std::string>{said};
}

/// Without colours where nobody looks, or wants them: https://no-color.org
[[nodiscard]] inline screen screen_of(std::ostream& stream, int descriptor) {
    screen on{.stream = stream, .is_terminal = ::isatty(descriptor) == 1};
    if (!on.is_terminal) return on;
    const auto is_set = [](const char* name) {
        return !environment_variable(name).value_or("").empty();
    };
    on.has_color = !is_set("NO_COLOR") && environment_variable("TERM").value_or("dumb") != "dumb";
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (!is_set(name)) continue;
        const std::string locale = *environment_variable(name);
        on.has_unicode =
            locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
        break;
    }
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) on.width = size.ws_col;
    return on;
}

/// Whether somebody asked the process to end. All that a signal may do is to set a flag.
class interrupt {
public:
    [[nodiscard]] static bool is_requested() { return requested_ != 0; }

    /// From now on SIGINT and SIGTERM ask once; a second one ends the process, as they always did.
    static void watch() {
        struct sigaction action{};
        action.sa_handler = [](int) { requested_ = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
    }

private:
    static inline volatile std::sig_atomic_t requested_ = 0;
};

}  // namespace bulk::cli
