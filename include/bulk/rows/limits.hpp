// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace bulk {

/// What a file may hold. Past a limit is an error of the row, where a row can be found.
struct row_limits {
    std::size_t field_bytes = std::size_t{1} << 20;
    std::size_t row_bytes = std::size_t{16} << 20;
    std::size_t columns = 4096;
    std::size_t json_depth = 32;
};

}  // namespace bulk
