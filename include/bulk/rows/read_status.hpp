// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>

#include <cstddef>
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
    too_long,   ///< a row over its limit was passed over
    misquoted,  ///< a row whose quotes do not match
    end,
    failure,  ///< the file cannot be read on; see error()
};
BOOST_DESCRIBE_ENUM(found, record, too_long, misquoted, end, failure)

/// Where a row with quotes that do not match is in the file, in bytes, and which of its fields has
/// the quote, from 0. Told by the rows behind it, so who reads without those must be told.
struct misquoted_row {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  ///< 0: there is none
    std::size_t field = 0;

    bool operator==(const misquoted_row&) const = default;
};

/// Where a row is that is over the limit, in bytes, and how long it is. Who knows it need not read it.
struct too_long_row {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  ///< 0: there is none
    std::uint64_t line = 0;

    bool operator==(const too_long_row&) const = default;
};

/// Where a scan begins, when not at the beginning of the file.
struct scan_start {
    std::uint64_t line = 1;
    std::uint64_t offset = 0;
    std::size_t fields = 0;     ///< of a slice: in a row; its rows were found before. 0: no slice
    misquoted_row misquoted{};  ///< in the slice
    too_long_row too_long{};    ///< behind the text that is scanned
};

}  // namespace bulk
