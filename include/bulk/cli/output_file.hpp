// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/invocation.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/byte_source.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bulk::cli {

/// Where a verb writes what it was asked for: the standard output, a pipe or device that is there, or a
/// file that appears only when it is whole. Until then the file has a name that nobody else uses, in
/// the same directory; given up, it is removed. Of several that write one file, the last one wins.
class output_file {
public:
    /// Without a path, and for `-`, to the program's standard output.
    [[nodiscard]] static result<output_file> open(const std::string& path,
                                                  const invocation& program) {
        output_file made{program};
        struct stat about{};
        const bool exists = !path.empty() && ::stat(path.c_str(), &about) == 0;
        if (path.empty() || path == "-" || (exists && is_standard_output(about))) return made;
        made.path_ = path;
        auto opened = (exists && !S_ISREG(about.st_mode)) || path.starts_with("/dev/std") ||
                              path.starts_with("/dev/fd/") || path.starts_with("/proc/")
                          ? made.open_in_place()
                          : made.open_beside(exists ? about.st_mode & 07777U : 0U);
        if (!opened) return std::unexpected{std::move(opened).error()};
        return made;
    }
    output_file(output_file&& other) noexcept
        : program_{other.program_},
          file_{std::move(other.file_)},
          path_{std::move(other.path_)},
          target_{std::move(other.target_)},
          unfinished_{std::exchange(other.unfinished_, {})},
          waiting_{std::move(other.waiting_)} {}
    output_file& operator=(output_file&&) = delete;
    ~output_file() {
        if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
    }

    [[nodiscard]] result<> write(std::string_view part) {
        if (program_.is_interrupted())
            return fail(errc::unavailable, unfinished_.empty()
                                               ? "interrupted; the output is not complete"
                                               : "interrupted; no file was written");
        if (is_standard()) {
            program_.out().stream << part;
            return check_standard();
        }
        waiting_ += part;
        constexpr std::size_t piece = std::size_t{64} * 1024;
        return waiting_.size() < piece ? result<>{} : write_waiting();
    }

    /// It is whole.
    [[nodiscard]] result<> keep() {
        if (is_standard()) {
            program_.out().stream.flush();
            return check_standard();
        }
        if (auto written = write_waiting(); !written) return written;
        if (unfinished_.empty()) return {};
        if (::fsync(file_.number()) != 0) return failed(errno);
        if (::rename(unfinished_.c_str(), target_.c_str()) != 0) return failed(errno);
        unfinished_.clear();
        // Whether the name survives a loss of power. Not every file system can tell.
        const descriptor folder{
            ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        if (folder.number() >= 0 && ::fsync(folder.number()) != 0 && errno == EIO)
            return failed(errno);
        return {};
    }

private:
    explicit output_file(const invocation& program) : program_{program} {}

    [[nodiscard]] bool is_standard() const { return path_.empty(); }

    /// /dev/stdout, /proc/self/fd/1, or where the shell has redirected it to.
    [[nodiscard]] static bool is_standard_output(const struct stat& about) {
        struct stat standard{};
        return ::fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == about.st_dev &&
               standard.st_ino == about.st_ino;
    }

    [[nodiscard]] static std::string folder_of(const std::string& path) {
        const auto end = path.find_last_of('/');
        if (end == std::string::npos) return ".";
        return end == 0 ? "/" : path.substr(0, end);
    }

    /// A pipe waits for its reader for as long as nobody interrupts.
    [[nodiscard]] result<> open_in_place() {
        while (true) {
            file_ = descriptor{::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK)};
            if (file_.number() >= 0) return {};
            if (errno != ENXIO && errno != EINTR) return failed(errno);
            if (program_.is_interrupted())
                return fail(errc::unavailable, concat("interrupted; nobody reads ", path_));
            (void)::poll(nullptr, 0, nap);
        }
    }

    /// A link stays a link: what it leads to is replaced. `mode` is the one of a file that is there.
    [[nodiscard]] result<> open_beside(mode_t mode) {
        std::error_code missing;
        const auto real = std::filesystem::canonical(path_, missing);
        target_ = missing ? path_ : real.string();
        while (true) {
            std::random_device bits;
            const auto more = [&] { return std::uint64_t{bits()} << 32 | bits(); };
            unfinished_ =
                concat(folder_of(target_), "/.bulk-", to_text(uuid{more(), more()}), ".part");
            file_ = descriptor{
                ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
            if (file_.number() >= 0) break;
            const int code = errno;
            unfinished_.clear();
            if (code != EEXIST && code != EINTR) return failed(code);
        }
        if (mode != 0) (void)::fchmod(file_.number(), mode);
        return {};
    }

    [[nodiscard]] result<> write_waiting() {
        for (std::string_view left = waiting_; !left.empty();) {
            if (program_.is_interrupted())
                return fail(errc::unavailable, "interrupted; the output is not complete");
            const auto count = ::write(file_.number(), left.data(), left.size());
            if (count >= 0) {
                left.remove_prefix(static_cast<std::size_t>(count));
            } else if (errno == EAGAIN) {
                pollfd wait{.fd = file_.number(), .events = POLLOUT, .revents = 0};
                (void)::poll(&wait, 1, nap);
            } else if (errno != EINTR) {
                return failed(errno);
            }
        }
        waiting_.clear();
        return {};
    }

    [[nodiscard]] result<> check_standard() const {
        if (program_.out().stream) return {};
        return fail(errc::unavailable,
                    "cannot write to the output: disk full, or the pipe was closed");
    }
    [[nodiscard]] result<> failed(int code) const {
        return fail(errc::unavailable,
                    concat("cannot write ", path_, ": ", std::generic_category().message(code)));
    }

    static constexpr int nap = 100;  ///< milliseconds, then it looks for an interruption

    const invocation& program_;
    descriptor file_{-1};
    std::string path_;        ///< as given; empty: the standard output
    std::string target_;      ///< where the file is to be
    std::string unfinished_;  ///< where it is until it is whole; empty: nothing is to be removed
    std::string waiting_;     ///< to be written in larger pieces
};

}  // namespace bulk::cli
