// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/service/upload.hpp>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bulk::cli {

/// What a verb reads: a file, or a stream, which gives its bytes only once.
struct input_file {
    upload content;
    bool is_stream = false;  ///< a pipe, a terminal, a device: whatever is not a regular file
};

/// Opens files and streams so that an interrupted program never waits for them.
class input_opener {
public:
    explicit input_opener(const invocation& program) : program_{program} {}

    /// `-` is the standard input. `name` is recorded instead of the path's last part.
    [[nodiscard]] result<input_file> open(const std::string& path, const std::string& name) const {
        const bool is_standard = path == "-";
        const std::string shown = is_standard ? "the standard input" : path;
        // Without O_NONBLOCK, a FIFO that nobody writes to could not even be opened.
        descriptor file{is_standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                    : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
        struct stat about{};
        if (file.number() < 0 || ::fstat(file.number(), &about) != 0)
            return fail(errc::invalid_argument, concat("cannot open ", shown, ": ",
                                                       std::generic_category().message(errno)));
        if (S_ISDIR(about.st_mode))
            return fail(errc::invalid_argument,
                        concat("cannot read ", shown, ": it is a directory"));
        const std::string last =
            is_standard ? std::string{"stdin"} : path.substr(path.find_last_of('/') + 1);
        return input_file{.content = {.name = name.empty() ? last : name,
                                      .bytes = read_from(std::move(file), shown)},
                          .is_stream = is_standard || !S_ISREG(about.st_mode)};
    }

private:
    /// A wait ends now and then to look whether the program is interrupted: a signal may also come
    /// just before it begins.
    [[nodiscard]] byte_source read_from(descriptor file, std::string name) const {
        return byte_source{[this_program = &program_, file = std::move(file),
                            name = std::move(name)](std::span<char> into) -> result<std::size_t> {
            while (true) {
                if (this_program->is_interrupted())
                    return fail(errc::unavailable, "interrupted; nothing was kept of the file");
                pollfd wait{.fd = file.number(), .events = POLLIN, .revents = 0};
                constexpr int milliseconds = 100;
                if (::poll(&wait, 1, milliseconds) <= 0) continue;
                const auto got = ::read(file.number(), into.data(), into.size());
                if (got >= 0) return static_cast<std::size_t>(got);
                if (errno != EINTR && errno != EAGAIN)
                    return fail(errc::unavailable, concat("cannot read ", name, ": ",
                                                          std::generic_category().message(errno)));
            }
        }};
    }

    const invocation& program_;
};

}  // namespace bulk::cli
