// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bulk::cli {

/// Where a verb writes what it was asked for: a stream, or a file that is there only when it is
/// whole. Until then it has the ending `.part`; given up, it is removed.
class output_file {
public:
    [[nodiscard]] static result<output_file> open(const std::string& path) {
        auto file = std::make_unique<std::ofstream>(concat(path, ".part"), std::ios::binary);
        if (!*file)
            return fail(errc::unavailable, concat("cannot write ", path, ": ",
                                                  std::generic_category().message(errno)));
        return output_file{std::move(file), path};
    }
    /// Without a path, to the stream.
    [[nodiscard]] static result<output_file> open(const std::string& path, std::ostream& stream) {
        return path.empty() ? output_file{stream} : open(path);
    }
    output_file(output_file&&) noexcept = default;
    output_file& operator=(output_file&&) = delete;
    ~output_file() {
        if (file_ == nullptr) return;
        file_->close();
        std::remove(concat(path_, ".part").c_str());
    }

    [[nodiscard]] result<> write(std::string_view part) {
        *to_ << part;
        if (*to_) return {};
        return fail(errc::unavailable,
                    concat("cannot write ", path_.empty() ? "to the output" : path_,
                           ": is there space left, and somebody who reads?"));
    }

    /// It is whole.
    [[nodiscard]] result<> keep() {
        to_->flush();
        if (auto written = write({}); !written) return written;
        if (file_ == nullptr) return {};
        file_->close();
        if (*file_ && std::rename(concat(path_, ".part").c_str(), path_.c_str()) == 0) {
            file_.reset();
            return {};
        }
        return fail(errc::unavailable,
                    concat("cannot write ", path_, ": ", std::generic_category().message(errno)));
    }

private:
    explicit output_file(std::ostream& stream) : to_{&stream} {}
    output_file(std::unique_ptr<std::ofstream> file, std::string path)
        : file_{std::move(file)}, to_{file_.get()}, path_{std::move(path)} {}

    std::unique_ptr<std::ofstream> file_;  ///< none: the stream, or kept already
    std::ostream* to_;
    std::string path_;
};

}  // namespace bulk::cli
