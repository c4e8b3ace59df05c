// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>

namespace bulk::csv {

enum class instruction_set : std::uint8_t { portable, sse2, avx2, avx512, neon };
BOOST_DESCRIBE_ENUM(instruction_set, portable, sse2, avx2, avx512, neon)

/// Whether this machine has what the instruction set needs.
[[nodiscard]] bool is_supported(instruction_set set);

[[nodiscard]] instruction_set best_instruction_set();

}  // namespace bulk::csv
