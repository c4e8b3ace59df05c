// SPDX-License-Identifier: MIT
// What most documents include: see support/precompiled.py.
#pragma once

#include <bulk/bulk.hpp>
