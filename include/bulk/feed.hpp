// SPDX-License-Identifier: MIT
#pragma once

// Feeds: sources that are too large for one file, fetched in partitions by any number of workers and
// consolidated into a canonical set. With the storage in memory; SQLite is a header of its own.

#include <bulk/bulk.hpp>
#include <bulk/feed/declare.hpp>
#include <bulk/feed/items.hpp>
#include <bulk/feed/registry.hpp>
#include <bulk/feed/service.hpp>
