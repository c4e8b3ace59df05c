// SPDX-License-Identifier: MIT
// One of the units that `bulk-sqlite`, `bulk-http` and `bulk-main` link: see bulk/core/linkage.hpp.
#include <bulk/core/implementation.hpp>
#include <bulk/engine/implementation.hpp>
#include <bulk/rows/csv/implementation.hpp>
#include <bulk/rows/implementation.hpp>
#include <bulk/run/implementation.hpp>
#include <bulk/service/export_implementation.hpp>
#include <bulk/service/implementation.hpp>
#include <bulk/storage/implementation.hpp>
