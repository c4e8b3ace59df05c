// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/storage/files/disk_file.hpp>
#include <bulk/storage/files/upload_description.hpp>
#include <bulk/storage/stored_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace bulk::files {

/// Gives the content of an upload from some place on, straight into the caller's memory, and fails
/// when it is not what was stored: by its size, and, for who reads it from its beginning to its end,
/// by its checksum. The last bytes are given only when all is well.
///
/// `pread` and not `mmap`: a file that is cut off under a mapping ends the program (SIGBUS), and the
/// pages of a mapping count as the program's memory.
template <typename System>
class content_reader {
public:
    [[nodiscard]] static result<content_reader> open(disk_file<System> content, stored_file about,
                                                     std::uint64_t offset) {
        content_reader reader{std::move(content), std::move(about), offset};
        if (auto same = reader.check_size(); !same) return std::unexpected{same.error()};
        return reader;
    }

    [[nodiscard]] result<std::size_t> read(std::span<char> into) {
        if (refused_) return std::unexpected{*refused_};
        const std::uint64_t left = about_.size - std::min(at_, about_.size);
        const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left));
        if (most == 0) return std::size_t{0};
        const auto got = content_.read(into.first(most), at_);
        if (!got) return got;
        if (*got == 0)
            return refuse(concat("it ends after ", at_, " bytes instead of ", about_.size));
        if (sum_) sum_->add(into.first(*got));
        at_ += *got;
        if (at_ == about_.size)
            if (auto same = check_end(); !same) return std::unexpected{same.error()};
        return got;
    }

private:
    content_reader(disk_file<System> content, stored_file about, std::uint64_t offset)
        : content_{std::move(content)}, about_{std::move(about)}, at_{offset} {
        if (offset == 0) sum_.emplace();
    }

    [[nodiscard]] result<> check_size() {
        const auto size = content_.size();
        if (!size) return std::unexpected{size.error()};
        if (*size == about_.size) return {};
        return refuse(concat("it has ", *size, " bytes instead of ", about_.size));
    }

    [[nodiscard]] result<> check_end() {
        if (auto same = check_size(); !same) return same;
        if (!sum_ || sum_->value() == about_.checksum) return {};
        return refuse(concat("its checksum is ", hexadecimal(sum_->value()), " instead of ",
                             hexadecimal(about_.checksum)));
    }

    /// From now on.
    [[nodiscard]] std::unexpected<error> refuse(std::string_view how) {
        refused_ = error{errc::conflict,
                         concat("file '", about_.name, "' (id ", about_.id,
                                ") was changed since it was stored: ", how,
                                "; put back what was stored, or upload it as a new operation")};
        return std::unexpected{*refused_};
    }

    disk_file<System> content_;
    stored_file about_;
    std::uint64_t at_;
    std::optional<checksum> sum_;  ///< of all up to here, if it began at the beginning
    std::optional<error> refused_;
};

}  // namespace bulk::files
