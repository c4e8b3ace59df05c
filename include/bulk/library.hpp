// SPDX-License-Identifier: MIT
#pragma once

// The compiled part of the library, for a program that links none of it: one source file of the program includes this
// and nothing else, and all its source files are compiled with BULK_COMPILED. The engine, SQLite and the command line;
// the HTTP server is in `bulk_http` alone. See docs/guide/first-import.md.

#ifndef BULK_COMPILED
#error "bulk/library.hpp: compile every source file of the program with -DBULK_COMPILED"
#endif

#include <bulk/cli/implementation.hpp>
#include <bulk/core/implementation.hpp>
#include <bulk/engine/implementation.hpp>
#include <bulk/feed/implementation.hpp>
#include <bulk/main_implementation.hpp>
#include <bulk/rows/csv/implementation.hpp>
#include <bulk/rows/implementation.hpp>
#include <bulk/run/implementation.hpp>
#include <bulk/service/export_implementation.hpp>
#include <bulk/service/implementation.hpp>
#include <bulk/storage/implementation.hpp>
#include <bulk/storage/memory/implementation.hpp>
#include <bulk/storage/sqlite/implementation.hpp>
#ifdef BULK_HTTP
#include <bulk/cli/serve_implementation.hpp>
#endif
