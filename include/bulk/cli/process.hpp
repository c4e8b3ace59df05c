// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/cli/screen.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
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

/// Where one of the three standard streams is closed, the next file that is opened would take its
/// place, and messages would be written into it. What is put there instead fails whoever uses it.
inline void hold_standard_streams() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)  // the lowest that is free is this one
            (void)::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// From now on a process that runs out of memory or threads where nobody can handle it ends with a sentence
/// and an exit code instead of SIGABRT. Records are as whole as after a crash, and the same command goes
/// on. Anything else that nobody handles is a fault of the program, and still aborts.
inline void explain_exhaustion() {
    static std::terminate_handler before = nullptr;
    before = std::set_terminate([] {
        const char* said = nullptr;  // nothing may be allocated here
        try {
            if (std::current_exception()) std::rethrow_exception(std::current_exception());
        } catch (const std::bad_alloc&) {
            said =
                "out of memory; nothing is lost: free memory or raise the limit (ulimit -v), then "
                "repeat the command\n";
        } catch (const std::system_error&) {
            said =
                "the system has no more threads or locks; nothing is lost: raise the limits, then "
                "repeat the command\n";
        } catch (...) {
            said = nullptr;
        }
        if (said == nullptr) return before();
        (void)!::write(STDERR_FILENO, said, std::strlen(said));
        ::_exit(exit_code::failed);
    });
}

/// Whether somebody asked the process to end. All that a signal may do is to set a flag.
class interrupt {
public:
    [[nodiscard]] static bool is_requested() { return requested_ != 0; }

    /// From now on SIGINT and SIGTERM ask once; a second one ends the process, as they always did. So
    /// does the limit of processor time. A closed pipe and the limit of file sizes become errors of
    /// those who write. No signal is ignored: programs that a step starts would inherit that.
    static void watch() {
        struct sigaction action{};
        action.sa_handler = [](int) { requested_ = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
        action.sa_flags = 0;  // it comes every second until the hard limit
        ::sigaction(SIGXCPU, &action, nullptr);
        action.sa_handler = [](int) {};
        action.sa_flags = SA_RESTART;
        for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaction(signal, &action, nullptr);
    }

private:
    static inline volatile std::sig_atomic_t requested_ = 0;
};

}  // namespace bulk::cli
