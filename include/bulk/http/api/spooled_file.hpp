// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// A file that waits on disk, without a name, until it is known what it is for. Gone with the process.
class spooled_file {
public:
    /// `most` bytes; 0 is any number.
    [[nodiscard]] static result<spooled_file> keep(byte_source from, std::int64_t most) {
        spooled_file kept{std::tmpfile()};
        if (kept.file_ == nullptr) return kept.failed("made");
        std::vector<char> piece(std::size_t{64} * 1024);
        std::uint64_t size = 0;
        while (true) {
            const auto count = from.read_some(piece);
            if (!count) return std::unexpected{count.error()};
            if (*count == 0) break;
            size += *count;
            if (most > 0 && size > static_cast<std::uint64_t>(most))
                return fail(errc::invalid_argument,
                            concat("the file is larger than ", most, " bytes"));
            if (std::fwrite(piece.data(), 1, *count, kept.file_.get()) != *count)
                return kept.failed("written");
        }
        if (std::fflush(kept.file_.get()) != 0) return kept.failed("written");
        if (std::fseek(kept.file_.get(), 0, SEEK_SET) != 0) return kept.failed("read");
        return kept;
    }

    [[nodiscard]] byte_source bytes() {
        return byte_source{[file = file_](std::span<char> into) -> result<std::size_t> {
            const auto count = std::fread(into.data(), 1, into.size(), file.get());
            if (count == 0 && std::ferror(file.get()) != 0)
                return fail(errc::unavailable, "a file that waits on disk cannot be read");
            return count;
        }};
    }

private:
    explicit spooled_file(std::FILE* file)
        : file_{file, [](std::FILE* open) {
                    if (open != nullptr) std::fclose(open);
                }} {}

    [[nodiscard]] std::unexpected<error> failed(std::string_view what) const {
        return fail(errc::unavailable, concat("a file that waits on disk cannot be ", what, ": ",
                                              std::generic_category().message(errno)));
    }

    std::shared_ptr<std::FILE> file_;
};

}  // namespace bulk::http::api
