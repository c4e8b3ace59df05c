// A directory of a test's own, gone with it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace support {

/// For programs that make many small databases: in memory, if there is a place and nobody named another.
inline void prefer_memory() {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
}

class temporary_directory {
public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "bulk-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary directory"};
        path_ = name;
    }
    temporary_directory(temporary_directory&& other) noexcept
        : path_{std::exchange(other.path_, {})} {}
    temporary_directory& operator=(temporary_directory&&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string path(const std::string& name) const { return path_ + '/' + name; }

    /// Of all that is in it, hidden or not, in order.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& each : std::filesystem::directory_iterator{path_})
            all.push_back(each.path().filename().string());
        std::ranges::sort(all);
        return all;
    }

private:
    std::string path_;
};

}  // namespace support
