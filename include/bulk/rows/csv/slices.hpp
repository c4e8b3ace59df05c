// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/slice.hpp>

#include <cstdint>
#include <utility>

namespace bulk::csv {

/// Cuts a file into slices between rows, quotes respected.
class slicer : public scanned_slices<scanner> {
public:
    explicit slicer(byte_source source, const dialect& dialect = {},
                    std::uint64_t rows_per_slice = 4096, const row_limits& limits = {})
        : scanned_slices{scanner{std::move(source), dialect, limits}, rows_per_slice,
                         dialect.header} {}
};

}  // namespace bulk::csv
