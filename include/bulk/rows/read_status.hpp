// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstdint>

namespace bulk {

/// What a reader came upon.
enum class read_status : std::uint8_t {
    row,      ///< a good row
    bad_row,  ///< a row that cannot be read; see problem(). The next one is not affected
    end,
    failure,  ///< the file cannot be read on; see error()
};
BOOST_DESCRIBE_ENUM(read_status, row, bad_row, end, failure)

/// What a scanner came upon: a row before its fields are read.
enum class found : std::uint8_t {
    record,
    too_long,  ///< a row over its limit was passed over
    end,
    failure,  ///< the file cannot be read on; see error()
};
BOOST_DESCRIBE_ENUM(found, record, too_long, end, failure)

/// Where a scan begins, when not at the beginning of the file.
struct scan_start {
    std::uint64_t line = 1;
    std::uint64_t offset = 0;
};

}  // namespace bulk
