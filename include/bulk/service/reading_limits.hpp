// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/options.hpp>
#include <bulk/rows/format.hpp>

#include <cstdint>

namespace bulk {

/// How a service reads files: as it was told, within the limits of its options.
[[nodiscard]] inline read_options limited_reading(read_options reading,
                                                  const service_options& options) {
    reading.unpacking.bytes = static_cast<std::uint64_t>(options.max_unpacked_size);
    reading.unpacking.ratio = static_cast<std::uint64_t>(options.max_unpack_ratio);
    return reading;
}

}  // namespace bulk
