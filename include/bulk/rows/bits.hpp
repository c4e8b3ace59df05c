// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace bulk {

/// Bit i of the result is the exclusive or of the bits 0 to i.
[[nodiscard]] constexpr std::uint64_t prefix_xor(std::uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

}  // namespace bulk
