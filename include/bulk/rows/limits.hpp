// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bulk {

/// What a file may hold. Past a limit is an error of the row, where a row can be found.
struct row_limits {
    std::size_t field_bytes = std::size_t{1} << 20;
    std::size_t row_bytes = std::size_t{16} << 20;
    std::size_t columns = 4096;
    std::size_t json_depth = 32;
};

/// What a gzip or zstd file may unpack to; 0 is unlimited. Memory does not grow with it, but time does.
struct unpack_limits {
    std::uint64_t bytes = 0;
    /// Unpacked bytes for each packed one, looked at only behind `ratio_from` unpacked bytes: small files
    /// of equal rows pack any number of times.
    std::uint64_t ratio = 0;
    std::uint64_t ratio_from = std::uint64_t{100} << 20;
};

/// For what we have written ourselves, from a file that was held to its limits: a row of CSV is longer
/// as JSON, up to six times.
inline constexpr row_limits no_limits{.field_bytes = std::numeric_limits<std::size_t>::max() / 2,
                                      .row_bytes = std::numeric_limits<std::size_t>::max() / 2,
                                      .columns = std::numeric_limits<std::size_t>::max() / 2,
                                      .json_depth = std::numeric_limits<std::size_t>::max() / 2};

}  // namespace bulk
