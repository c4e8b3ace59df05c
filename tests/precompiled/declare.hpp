// SPDX-License-Identifier: MIT
// What most programs that must not compile include: see support/precompiled.py.
#pragma once

#include <bulk/declare.hpp>
