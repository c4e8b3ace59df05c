// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes zstd.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk {

/// Whether a file begins as zstd data does: with a frame, or with a skippable one, as pzstd and the
/// seekable format write it.
[[nodiscard]] inline bool begins_like_zstd(std::string_view begin) {
    if (begin.starts_with("\x28\xb5\x2f\xfd")) return true;
    return begin.size() >= 4 && (begin[0] & 0xf0) == 0x50 &&
           begin.substr(1).starts_with("\x2a\x4d\x18");
}

namespace detail {

/// One zstd file being unpacked.
class zstd_reader {
public:
    explicit zstd_reader(byte_source source)
        : source_{std::move(source)}, input_(ZSTD_DStreamInSize()), stream_{ZSTD_createDStream()} {}
    zstd_reader(const zstd_reader&) = delete;
    zstd_reader& operator=(const zstd_reader&) = delete;
    ~zstd_reader() { ZSTD_freeDStream(stream_); }

    [[nodiscard]] result<std::size_t> read(std::span<char> into) {
        if (stream_ == nullptr)
            return fail(errc::unavailable, "out of memory while reading zstd data");
        if (failure_) return std::unexpected{*failure_};
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        while (out.size > 0 && out.pos == 0 && !ended_)
            if (auto next = advance(out); !next) {
                failure_ = next.error();
                return std::unexpected{std::move(next).error()};
            }
        return out.pos;
    }

private:
    /// Unpacks some of what is at hand, or reads more.
    [[nodiscard]] result<> advance(ZSTD_outBuffer& out) {
        if (left_.pos == left_.size) {
            const auto got = source_.read_some(input_);
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) {
                ended_ = true;
                if (!in_frame_) return {};
                return fail(errc::invalid_row,
                            concat("the zstd data is truncated: it ends at byte ", taken_,
                                   ", in the middle; upload the complete file"));
            }
            taken_ += *got;
            left_ = {input_.data(), *got, 0};
        }
        if (!in_frame_) {
            frame_ = position();
            // Fewer bytes than a frame begins with would be waited for.
            const char first = input_[left_.pos];
            if (!is_first_ && first != 0x28 && (first & 0xf0) != 0x50) return garbage();
        }
        const std::size_t status = ZSTD_decompressStream(stream_, &out, &left_);
        if (ZSTD_isError(status) != 0) {
            if (!is_first_ && ZSTD_getErrorCode(status) == ZSTD_error_prefix_unknown)
                return garbage();
            return fail(errc::invalid_row, reason(status));
        }
        in_frame_ = status != 0;
        is_first_ = is_first_ && in_frame_;
        return {};
    }

    [[nodiscard]] result<> garbage() const {
        return fail(errc::invalid_row,
                    concat("garbage after the end of the zstd data, which is ", frame_,
                           " bytes long; compress and upload the file again"));
    }

    [[nodiscard]] std::string reason(std::size_t status) const {
        switch (ZSTD_getErrorCode(status)) {
            case ZSTD_error_frameParameter_windowTooLarge:
                return "the zstd data needs a window of more than 128 MiB; compress the file again "
                       "without --ultra and --long";
            case ZSTD_error_dictionary_wrong:
                return "the zstd data needs a dictionary; compress the file again without one";
            default:
                break;
        }
        return concat("the zstd data is corrupt at byte ", position(), ": ",
                      ZSTD_getErrorName(status), "; compress and upload the file again");
    }

    /// How many bytes of the file were used.
    [[nodiscard]] std::uint64_t position() const { return taken_ - (left_.size - left_.pos); }

    byte_source source_;
    std::vector<char> input_;
    ZSTD_DStream* stream_;
    ZSTD_inBuffer left_{nullptr, 0, 0};
    std::uint64_t taken_ = 0;
    std::uint64_t frame_ = 0;  ///< where it begins
    bool in_frame_ = false;
    bool is_first_ = true;
    bool ended_ = false;
    std::optional<error> failure_;
};

}  // namespace detail

/// The bytes that a zstd file stands for; several frames in a row are one text, and skippable frames
/// are skipped wherever they stand. Fails where the data is corrupt or truncated, something else
/// follows it, or it needs a window of more than 128 MiB or a dictionary.
[[nodiscard]] inline byte_source unzstd(byte_source source) {
    return byte_source{[reader = std::make_unique<detail::zstd_reader>(std::move(source))](
                           std::span<char> into) { return reader->read(into); }};
}

}  // namespace bulk
