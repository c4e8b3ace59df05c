// SPDX-License-Identifier: MIT
// One of the units that `bulk-sqlite`, `bulk-http` and `bulk-main` link: see bulk/core/linkage.hpp.
#include <bulk/service/implementation.hpp>
