// SPDX-License-Identifier: MIT
// What most feeds that must not compile include: see support/precompiled.py.
#pragma once

#include <bulk/feed/declare.hpp>
#include <bulk/feed/registry.hpp>
