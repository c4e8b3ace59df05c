// SPDX-License-Identifier: MIT
#pragma once

// What the functions of executors do: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/engine/executor.hpp>

#include <cstdint>
#include <random>

namespace bulk {

// NOLINTNEXTLINE(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE std::uint64_t executor::random() {
    thread_local std::mt19937_64 bits{std::random_device{}()};
    return bits();
}

}  // namespace bulk
