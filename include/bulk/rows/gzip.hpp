// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes zlib.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

namespace detail {

/// One gzip file being unpacked.
class gzip_reader {
public:
    explicit gzip_reader(byte_source source) : source_{std::move(source)}, input_(64 * 1024) {
        ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
    }
    gzip_reader(const gzip_reader&) = delete;
    gzip_reader& operator=(const gzip_reader&) = delete;
    ~gzip_reader() {
        if (ready_) inflateEnd(&stream_);
    }

    [[nodiscard]] result<std::size_t> read(std::span<char> into) {
        if (!ready_) return fail(errc::unavailable, "out of memory while reading gzip data");
        if (failure_) return std::unexpected{*failure_};
        stream_.next_out = reinterpret_cast<Bytef*>(into.data());
        stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30));
        const uInt room = stream_.avail_out;
        while (room > 0 && stream_.avail_out == room && !ended_)
            if (auto next = advance(); !next) {
                failure_ = next.error();
                return std::unexpected{std::move(next).error()};
            }
        return room - stream_.avail_out;
    }

private:
    enum class place : std::uint8_t { member, between_members, trailing_zeros };

    /// Unpacks some of what is at hand, or reads more.
    [[nodiscard]] result<> advance() {
        if (stream_.avail_in == 0) {
            const auto got = source_.read_some(input_);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) {
                ended_ = true;
                if (place_ != place::member) return {};
                return fail(errc::invalid_row,
                            concat("the gzip data is truncated: it ends at byte ", taken_,
                                   ", in the middle; upload the complete file"));
            }
            taken_ += *got;
            stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
            stream_.avail_in = static_cast<uInt>(*got);
        }
        if (place_ == place::between_members && *stream_.next_in == 0) {
            place_ = place::trailing_zeros;
            end_ = position();
        }
        if (place_ == place::trailing_zeros) return skip_zeros();
        if (place_ == place::between_members) {
            end_ = position();
            if (*stream_.next_in != 0x1f) return garbage();
            place_ = place::member;
        }
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            place_ = place::between_members;
            is_first_ = false;
            inflateReset(&stream_);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            // The second of the two bytes that every member begins with is not there.
            if (!is_first_ && stream_.total_in <= 2) return garbage();
            return fail(errc::invalid_row,
                        concat("the gzip data is corrupt at byte ", position(), ": ",
                               stream_.msg != nullptr ? stream_.msg : "it cannot be unpacked",
                               "; compress and upload the file again"));
        }
        return {};
    }

    /// Tapes and block devices fill up a file with zeros, and `gzip -d` ignores them.
    [[nodiscard]] result<> skip_zeros() {
        while (stream_.avail_in > 0 && *stream_.next_in == 0) {
            ++stream_.next_in;
            --stream_.avail_in;
        }
        return stream_.avail_in == 0 ? result<>{} : garbage();
    }

    [[nodiscard]] result<> garbage() const {
        return fail(errc::invalid_row,
                    concat("garbage after the end of the gzip data, which is ", end_,
                           " bytes long; compress and upload the file again"));
    }

    /// How many bytes of the file were used.
    [[nodiscard]] std::uint64_t position() const { return taken_ - stream_.avail_in; }

    byte_source source_;
    std::vector<char> input_;
    z_stream stream_{};
    std::uint64_t taken_ = 0;
    std::uint64_t end_ = 0;  ///< of the last member that was read
    place place_ = place::member;
    bool is_first_ = true;
    bool ready_ = false;
    bool ended_ = false;
    std::optional<error> failure_;
};

}  // namespace detail

/// The bytes that a gzip file stands for; several members in a row are one text, and zeros behind
/// the last are ignored. Fails where the data is corrupt or truncated, or something else follows it.
/// Holds 64 KiB beside zlib's own window.
[[nodiscard]] inline byte_source gunzip(byte_source source) {
    return byte_source{[reader = std::make_unique<detail::gzip_reader>(std::move(source))](
                           std::span<char> into) { return reader->read(into); }};
}

}  // namespace bulk
