// Text packed as gzip and zstd, as one member or frame.
#pragma once

#include <bulk/rows/gzip.hpp>
#include <bulk/rows/zstd.hpp>

#include <string>
#include <string_view>

namespace support {

/// As zlib understands `window_bits`: 31 makes a member of gzip, -15 the bare deflate stream in it.
inline std::string deflated(std::string_view text, int window_bits) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
    std::string in{text};
    std::string out(deflateBound(&stream, static_cast<uLong>(in.size())) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::string gzip(std::string_view text) { return deflated(text, 15 + 16); }

inline std::string zstd(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

}  // namespace support
