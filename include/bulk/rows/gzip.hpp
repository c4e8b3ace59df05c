// SPDX-License-Identifier: MIT
#pragma once

// The only header that includes zlib.

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bulk {

/// The bytes that a gzip file stands for; several members in a row are one text. Fails where the
/// data is corrupt or ends too early. Holds 64 KiB beside zlib's own window.
[[nodiscard]] inline byte_source gunzip(byte_source source) {
    struct state {
        explicit state(byte_source source) : source{std::move(source)}, input(64 * 1024) {
            ready = inflateInit2(&stream, 15 + 16) == Z_OK;
        }
        state(const state&) = delete;
        state& operator=(const state&) = delete;
        ~state() {
            if (ready) inflateEnd(&stream);
        }

        byte_source source;
        std::vector<char> input;
        z_stream stream{};
        bool ready = false;
        bool in_member = false;
        bool ended = false;
    };
    return byte_source{[held = std::make_unique<state>(std::move(source))](
                           std::span<char> into) -> result<std::size_t> {
        auto& [source, input, stream, ready, in_member, ended] = *held;
        if (!ready) return fail(errc::unavailable, "there is no memory to read gzip data");
        stream.next_out = reinterpret_cast<Bytef*>(into.data());
        stream.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30));
        const uInt room = stream.avail_out;
        while (stream.avail_out == room && !ended) {
            if (stream.avail_in == 0) {
                const auto got = source.read_some(input);
                if (!got) return std::unexpected{got.error()};
                if (*got == 0) {
                    ended = true;
                    if (in_member)
                        return fail(errc::invalid_row,
                                    "the gzip data ends too early: it is cut off");
                    break;
                }
                stream.next_in = reinterpret_cast<Bytef*>(input.data());
                stream.avail_in = static_cast<uInt>(*got);
            }
            in_member = true;
            const int status = inflate(&stream, Z_NO_FLUSH);
            if (status == Z_STREAM_END) {
                in_member = false;
                inflateReset(&stream);
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                ended = true;
                return fail(errc::invalid_row,
                            concat("the gzip data is corrupt: ",
                                   stream.msg != nullptr ? stream.msg : "it cannot be read"));
            }
        }
        return room - stream.avail_out;
    }};
}

}  // namespace bulk
