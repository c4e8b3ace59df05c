// SPDX-License-Identifier: MIT
// The storage in memory, compiled once for every program: see bulk/core/linkage.hpp.
#include <bulk/storage/memory/implementation.hpp>
