// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/flight_recorder.hpp>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bulk {

namespace detail {

/// A file that is open and locked by this process alone, until it ends, however it ends.
class locked_file {
public:
    locked_file() = default;
    /// `descriptor` is open.
    explicit locked_file(int descriptor) : descriptor_{descriptor} {}
    locked_file(locked_file&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
    locked_file& operator=(locked_file&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~locked_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// False when another has it.
    [[nodiscard]] bool lock() const { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }
    /// Waits for another who has it; false when that cannot be done.
    [[nodiscard]] bool wait_for_lock() const {
        while (::flock(descriptor_, LOCK_EX) != 0)
            if (errno != EINTR) return false;
        return true;
    }
    /// Whether it can still be found in a directory.
    [[nodiscard]] bool has_name() const {
        struct stat now{};
        return ::fstat(descriptor_, &now) == 0 && now.st_nlink > 0;
    }

private:
    int descriptor_ = -1;
};

/// The seats of a process, in memory that is a file.
class mapped_seats {
public:
    static constexpr std::size_t count = 1024;
    static constexpr std::size_t bytes = count * sizeof(flight_seat);

    [[nodiscard]] static std::shared_ptr<mapped_seats> map(int descriptor) {
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (memory == MAP_FAILED) return nullptr;
        return std::make_shared<mapped_seats>(memory);
    }
    explicit mapped_seats(void* memory) : first_{static_cast<flight_seat*>(memory)} {}
    mapped_seats(const mapped_seats&) = delete;
    mapped_seats& operator=(const mapped_seats&) = delete;
    ~mapped_seats() { ::munmap(first_, bytes); }

    /// Zeros are seats in which nobody sits: nothing has to be made of them.
    [[nodiscard]] std::span<flight_seat> seats() const { return {first_, count}; }

private:
    flight_seat* first_;
};

}  // namespace detail

/// A process that has died, and the rows that it had in its hands.
class dead_process {
public:
    dead_process(std::string path, std::string name, detail::locked_file file,
                 std::vector<row_in_flight> rows)
        : path_{std::move(path)},
          name_{std::move(name)},
          file_{std::move(file)},
          rows_{std::move(rows)} {}

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<row_in_flight>& rows() const { return rows_; }

    /// What it left was seen to: nobody finds it any more. Until then nobody else does.
    void bury() const { ::unlink(path_.c_str()); }

private:
    std::string path_;
    std::string name_;
    detail::locked_file file_;
    std::vector<row_in_flight> rows_;
};

/// Says to others on this machine that this process lives, and what it is at: a file that they find
/// by the beginning of its path, locked for as long as the process lives, with its seats in it. The
/// system gives the lock back when the process ends, even by `kill -9`, and keeps what the file says.
class presence {
public:
    /// `name` is unique.
    [[nodiscard]] static result<std::shared_ptr<presence>> begin(const std::string& prefix,
                                                                 std::string name) {
        // Under its name it is found, so it is locked before. Until it is locked, whoever looks for
        // what the dead have left may take it away.
        const std::string path = prefix + name;
        const std::filesystem::path shown{path};
        const std::string hidden =
            (shown.parent_path() / ('.' + shown.filename().string())).string();
        detail::locked_file file;
        do {
            file = detail::locked_file{::open(hidden.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
            if (!file.is_open()) return failed(hidden, "made", errno);
            if (!file.wait_for_lock()) {
                const int why = errno;
                ::unlink(hidden.c_str());
                return failed(hidden, "locked", why);
            }
        } while (!file.has_name());
        // Room is taken now: a seat that could not be written for want of it would end the process.
        int why = ::posix_fallocate(file.descriptor(), 0, detail::mapped_seats::bytes);
        const auto seats = why == 0 ? detail::mapped_seats::map(file.descriptor()) : nullptr;
        if (seats != nullptr && ::rename(hidden.c_str(), path.c_str()) == 0)
            return std::make_shared<presence>(path, std::move(name), std::move(file), seats);
        if (why == 0) why = errno;
        ::unlink(hidden.c_str());
        return failed(path, "set up", why);
    }

    presence(std::string path, std::string name, detail::locked_file file,
             const std::shared_ptr<detail::mapped_seats>& seats)
        : path_{std::move(path)},
          name_{std::move(name)},
          file_{std::move(file)},
          flights_{seats->seats(), seats} {}
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;
    ~presence() { ::unlink(path_.c_str()); }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] flight_recorder& flights() { return flights_; }

    /// Those who have died and were not buried yet. What is left of those who died before they could
    /// have anything is removed.
    [[nodiscard]] static std::vector<dead_process> find_dead(const std::string& prefix) {
        std::vector<dead_process> found;
        const std::filesystem::path wanted{prefix};
        const auto folder =
            wanted.has_parent_path() ? wanted.parent_path() : std::filesystem::path{"."};
        // Not std::filesystem: where memory runs out its iterator ends the program.
        const std::unique_ptr<::DIR, int (*)(::DIR*)> entries{
            ::opendir(folder.c_str()), [](::DIR* all) { return ::closedir(all); }};
        if (entries == nullptr) return found;
        while (const auto* entry = ::readdir(entries.get())) {
            const std::string name = entry->d_name;
            const bool is_unfinished = name.starts_with('.' + wanted.filename().string());
            if (!is_unfinished && !name.starts_with(wanted.filename().string())) continue;
            const auto path = (folder / name).string();
            detail::locked_file file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
            if (!file.is_open() || !file.lock()) continue;
            if (is_unfinished) {
                ::unlink(path.c_str());
                continue;
            }
            struct stat now{};
            // Whoever had the lock until now may have buried it.
            if (::fstat(file.descriptor(), &now) != 0 || now.st_nlink == 0) continue;
            std::vector<row_in_flight> rows;
            if (static_cast<std::size_t>(now.st_size) == detail::mapped_seats::bytes)
                if (const auto seats = detail::mapped_seats::map(file.descriptor()))
                    for (const auto& each : seats->seats())
                        if (const auto row = seen_in(each)) rows.push_back(*row);
            found.emplace_back(path, name.substr(wanted.filename().string().size()),
                               std::move(file), std::move(rows));
        }
        return found;
    }

private:
    [[nodiscard]] static std::unexpected<error> failed(const std::string& path,
                                                       std::string_view what, int why) {
        return fail(errc::unavailable,
                    concat("'", path, "', which says that this process lives, cannot be ", what,
                           ": ", std::generic_category().message(why),
                           "; the database needs a directory that this program may write to"));
    }

    std::string path_;
    std::string name_;
    detail::locked_file file_;
    flight_recorder flights_;
};

}  // namespace bulk
