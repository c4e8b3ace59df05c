// A directory that is gone with everything in it when the test is over.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <stdlib.h>  // mkdtemp

namespace support {

class temporary_directory {
public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "bulk-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    temporary_directory(temporary_directory&& other) noexcept
        : path_{std::exchange(other.path_, {})} {}
    temporary_directory& operator=(temporary_directory&&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace support
