// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bulk::sqlite {

/// Beside the database, with six letters behind it.
inline constexpr std::string_view flight_suffix = "-flight-";

/// The rows that this process has in its hands, in a small file beside the database that is mapped
/// into memory: it needs no call to change it, and stays when the process is killed. The process
/// holds a lock on it, so that others know whether it lives. Gone with a process that ends well.
class flight_file {
public:
    static constexpr std::size_t seats = 1024;
    static constexpr std::size_t size = seats * sizeof(flight_seat);

    [[nodiscard]] static result<std::shared_ptr<flight_file>> create(const std::string& database) {
        while (true) {
            std::string path = concat(database, flight_suffix, "XXXXXX");
            const int file = ::mkostemp(path.data(), O_CLOEXEC);
            if (file < 0) return failed(path, errno);
            auto made = std::make_shared<flight_file>(std::move(path), file);
            struct stat about{};
            if (::flock(file, LOCK_EX | LOCK_NB) != 0 || ::fstat(file, &about) != 0)
                return failed(made->path_, errno);
            if (about.st_nlink == 0) continue;  // somebody has taken it for a dead one's
            // Room for all of it: a page that the disk has no place for would be a signal later.
            if (const int code = ::posix_fallocate(file, 0, size); code != 0)
                return failed(made->path_, code);
            void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (mapped == MAP_FAILED) return failed(made->path_, errno);
            made->seats_ = new (mapped) flight_seat[seats];
            return made;
        }
    }

    flight_file(std::string path, int file) : path_{std::move(path)}, file_{file} {}
    flight_file(const flight_file&) = delete;
    ~flight_file() {
        if (seats_ != nullptr) ::munmap(static_cast<void*>(seats_), size);
        ::unlink(path_.c_str());
        ::close(file_);
    }

    [[nodiscard]] std::span<flight_seat> all() { return {seats_, seats}; }

private:
    static std::unexpected<error> failed(std::string_view path, int code) {
        return fail(errc::unavailable,
                    concat("cannot create ", path,
                           ", which tells after a crash which rows were at "
                           "work: ",
                           std::generic_category().message(code),
                           "; let this program create files there, and see that there is room"));
    }

    std::string path_;
    int file_;
    flight_seat* seats_ = nullptr;
};

}  // namespace bulk::sqlite
