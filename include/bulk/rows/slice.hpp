// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>
#include <bulk/rows/read_status.hpp>

#include <cstdint>

namespace bulk {

/// Some rows of a file that follow each other, and where they are: enough to read them without
/// what comes before.
struct slice {
    std::uint64_t offset = 0;  ///< in bytes
    std::uint64_t size = 0;    ///< in bytes
    row_number first_row{};
    std::uint64_t rows = 0;
    std::uint64_t line = 0;     ///< of the first row
    misquoted_row misquoted{};  ///< the last row, if it is one
    too_long_row too_long{};    ///< the last row, if it is one

    /// How many bytes a reader of the slice needs: not those of a row that is over the limit.
    [[nodiscard]] std::uint64_t text_size() const {
        return too_long.size > 0 ? too_long.offset - offset : size;
    }

    bool operator==(const slice&) const = default;
};

}  // namespace bulk
