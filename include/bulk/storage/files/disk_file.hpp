// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/storage/files/system_calls.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace bulk::files {

/// An open file or directory, closed at the end of its life. Its errors name it.
template <typename System>
class disk_file {
public:
    [[nodiscard]] static result<disk_file> open(const System& system, std::string path, int flags) {
        const int number =
            uninterrupted([&] { return system.open(path.c_str(), flags | O_CLOEXEC, 0640); });
        if (number < 0) return failed_call((flags & O_CREAT) != 0 ? "create" : "open", path, errno);
        return disk_file{system, std::move(path), number};
    }

    disk_file(disk_file&& other) noexcept
        : system_{other.system_},
          path_{std::move(other.path_)},
          number_{std::exchange(other.number_, -1)} {}
    disk_file& operator=(disk_file&&) = delete;
    ~disk_file() {
        if (number_ >= 0) system_.close(number_);
    }

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] result<> write(std::span<const char> bytes) const {
        while (!bytes.empty()) {
            const auto count =
                uninterrupted([&] { return system_.write(number_, bytes.data(), bytes.size()); });
            if (count <= 0) return failed_call("write to", path_, count == 0 ? ENOSPC : errno);
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
        return {};
    }

    /// May be less than the span holds; 0 is the end.
    [[nodiscard]] result<std::size_t> read(std::span<char> into, std::uint64_t offset) const {
        const auto count = uninterrupted([&] {
            return system_.pread(number_, into.data(), into.size(), static_cast<off_t>(offset));
        });
        if (count < 0) return failed_call("read", path_, errno);
        return static_cast<std::size_t>(count);
    }

    /// What was written, or renamed in it, survives a loss of power. After a failure nobody knows
    /// what is on the disk; trying again would say that all is well.
    [[nodiscard]] result<> sync() const {
        if (uninterrupted([&] { return system_.fsync(number_); }) < 0)
            return failed_call("write to the disk", path_, errno);
        return {};
    }

    [[nodiscard]] result<struct stat> about() const {
        struct stat about{};
        if (system_.fstat(number_, &about) < 0) return failed_call("look at", path_, errno);
        return about;
    }

    [[nodiscard]] result<std::uint64_t> size() const {
        const auto now = about();
        if (!now) return std::unexpected{now.error()};
        return static_cast<std::uint64_t>(now->st_size);
    }

    /// Takes it for this process until the file is closed, by dying if need be; `conflict` when
    /// another has it.
    [[nodiscard]] result<> lock() const {
        if (uninterrupted([&] { return system_.lock(number_); }) == 0) return {};
        if (errno == EWOULDBLOCK)
            return fail(errc::conflict, concat("another process is writing ", path_));
        return failed_call("lock", path_, errno);
    }

private:
    disk_file(const System& system, std::string path, int number)
        : system_{system}, path_{std::move(path)}, number_{number} {}

    [[no_unique_address]] System system_;
    std::string path_;
    int number_;
};

}  // namespace bulk::files
