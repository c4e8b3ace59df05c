// SPDX-License-Identifier: MIT
#pragma once

// Where functions that are no templates are compiled. Without BULK_COMPILED the library is header-only: they
// are inline, and every unit that includes them compiles them. With it, which the build dependencies
// `bulk-main`, `bulk-sqlite` and `bulk-http` define, headers declare them, and the units in src/, which those
// dependencies link, compile them once. A program is compiled in one of the two ways as a whole.
#ifdef BULK_COMPILED
#define BULK_INLINE
#else
#define BULK_INLINE inline
#endif
