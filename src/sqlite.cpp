// SPDX-License-Identifier: MIT
// SQLite behind `any_storage`, compiled once for every program: see bulk/core/linkage.hpp.
#include <bulk/storage/sqlite/implementation.hpp>
