// SPDX-License-Identifier: MIT
// The command line, compiled once for every program: see bulk/core/linkage.hpp.
#include <bulk/cli/implementation.hpp>
#include <bulk/main_implementation.hpp>
