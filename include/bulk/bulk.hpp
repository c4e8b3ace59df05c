// SPDX-License-Identifier: MIT
#pragma once

// The whole library with the storage in memory. The other backends and the front doors are headers
// of their own, so that nobody pays for what they do not include.

#include <bulk/declare.hpp>
#include <bulk/rows/open.hpp>
#include <bulk/service/export_operation.hpp>
#include <bulk/service/service.hpp>
#include <bulk/storage/memory/storage.hpp>
