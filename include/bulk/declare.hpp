// SPDX-License-Identifier: MIT
#pragma once

// What a header needs that declares rows, metadata and operations: half as much to compile as
// <bulk/bulk.hpp>, which runs them.

#include <bulk/core/core.hpp>
#include <bulk/operation/declare.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/version.hpp>
