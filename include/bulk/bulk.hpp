// SPDX-License-Identifier: MIT
#pragma once

// The whole library but the backends and front doors: those are headers of their own, so that
// nobody pays for what they do not include.

#include <bulk/core/core.hpp>
#include <bulk/operation/declare.hpp>
#include <bulk/operation/registry.hpp>
#include <bulk/version.hpp>
