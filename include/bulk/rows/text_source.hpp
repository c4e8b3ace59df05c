// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/limits.hpp>

namespace bulk {

/// The text of a file as UTF-8, whatever it is packed in: gzip and zstd are unpacked and UTF-16 with
/// a byte order mark is converted, all by content. A file that is not text is refused, by its name
/// where that can be told; one that unpacks to more than the limits fails where it passes them.
[[nodiscard]] result<byte_source> text_of(byte_source source, const unpack_limits& limits = {});

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/rows/implementation.hpp>
#endif
