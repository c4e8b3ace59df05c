// SPDX-License-Identifier: MIT
#pragma once

// The storage in memory: see core/linkage.hpp for who includes this.

#include <bulk/core/linkage.hpp>
#include <bulk/storage/any_storage.hpp>
#include <bulk/storage/memory/records.hpp>
#include <bulk/storage/memory/storage.hpp>
#include <bulk/storage/typed_records.hpp>

namespace bulk::memory {

// NOLINTNEXTLINE(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
BULK_INLINE storage::storage() : any_storage{records{}} {}

}  // namespace bulk::memory
