// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes zstd.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <zstd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

/// The bytes that a zstd file stands for; several frames in a row are one text. Fails where the data
/// is corrupt, ends too early, or asks for a window of more than 128 MiB.
[[nodiscard]] inline byte_source unzstd(byte_source source) {
    struct state {
        explicit state(byte_source source)
            : source{std::move(source)},
              input(ZSTD_DStreamInSize()),
              stream{ZSTD_createDStream()} {}
        state(const state&) = delete;
        state& operator=(const state&) = delete;
        ~state() { ZSTD_freeDStream(stream); }

        byte_source source;
        std::vector<char> input;
        ZSTD_DStream* stream;
        ZSTD_inBuffer left{nullptr, 0, 0};
        bool in_frame = false;
        bool ended = false;
    };
    return byte_source{[held = std::make_unique<state>(std::move(source))](
                           std::span<char> into) -> result<std::size_t> {
        auto& [source, input, stream, left, in_frame, ended] = *held;
        if (stream == nullptr)
            return fail(errc::unavailable, "there is no memory to read zstd data");
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        while (out.pos == 0 && !ended) {
            if (left.pos == left.size) {
                const auto got = source.read_some(input);
                if (!got) return std::unexpected{got.error()};
                if (*got == 0) {
                    ended = true;
                    if (in_frame)
                        return fail(errc::invalid_row,
                                    "the zstd data ends too early: it is cut off");
                    break;
                }
                left = {input.data(), *got, 0};
            }
            const std::size_t status = ZSTD_decompressStream(stream, &out, &left);
            if (ZSTD_isError(status) != 0) {
                ended = true;
                return fail(errc::invalid_row,
                            concat("the zstd data is corrupt: ", ZSTD_getErrorName(status)));
            }
            in_frame = status != 0;
        }
        return out.pos;
    }};
}

}  // namespace bulk
