// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/storage_options.hpp>

#include <string>

namespace bulk::cli {

/// Where a program keeps its records.
struct storage_settings {
    std::string path = "bulk.db";
    sqlite_options options{};
};

}  // namespace bulk::cli
