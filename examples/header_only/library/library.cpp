// SPDX-License-Identifier: MIT
// The library, compiled once by the program that uses it: see docs/guide/first-import.md.
#include <bulk/library.hpp>
