// SPDX-License-Identifier: MIT
// The verb `serve`, compiled once for every program: see bulk/core/linkage.hpp.
#include <bulk/cli/serve_implementation.hpp>
