// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/declare.hpp>

#include <string>

/// The row of most operations that must not compile.
struct user {
    std::string name;
};
BULK_ROW(user, name);
