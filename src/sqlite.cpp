// SPDX-License-Identifier: MIT
// The storage behind `any_storage`, compiled once for every program: see bulk/core/linkage.hpp.
#include <bulk/storage/sqlite/storage.hpp>

template class bulk::typed_records<bulk::sqlite::storage>;
template class bulk::typed_files<bulk::sqlite::storage>;
