// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/csv/detect.hpp>
#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/scanner.hpp>
#include <bulk/rows/limits.hpp>
#include <bulk/rows/scanned_slices.hpp>
#include <bulk/rows/slice.hpp>

#include <cstdint>
#include <utility>

namespace bulk::csv {

/// Cuts a file into slices between rows, quotes respected. A row whose quotes do not match is the last
/// of its slice: the rows behind it have told where it ends, and the slice says so.
class slicer : public scanned_slices<scanner> {
public:
    explicit slicer(byte_source source, const dialect& dialect = {},
                    std::uint64_t rows_per_slice = 4096, const row_limits& limits = {},
                    const scan_tuning& tuning = {})
        : scanned_slices{opened(std::move(source), dialect, limits, tuning), rows_per_slice,
                         dialect.header} {}

private:
    /// A file that cannot be read says so when it is.
    [[nodiscard]] static scanner opened(byte_source source, const dialect& dialect,
                                        const row_limits& limits, const scan_tuning& tuning) {
        const auto format = detected(source, dialect);
        return scanner{std::move(source), format.value_or(dialect), limits, {}, tuning};
    }
};

}  // namespace bulk::csv
