// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/id.hpp>
#include <bulk/rows/read_status.hpp>
#include <bulk/rows/slice.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace bulk {

/// Cuts a file into slices between rows, in memory of fixed size. Rows are counted as a reader
/// counts them, so rows that are too long count and blank lines do not. A slice of long rows has
/// fewer of them, so that its text fits in memory; a row over the limit is the last of its slice.
template <typename Scanner>
class scanned_slices {
public:
    static constexpr std::uint64_t enough_bytes = 1 << 20;  ///< a slice gets no further row then

    scanned_slices(Scanner scanner, std::uint64_t rows_per_slice, bool has_header)
        : scanner_{std::move(scanner)}, rows_per_slice_{rows_per_slice}, skip_header_{has_header} {}

    /// The next slice; none at the end. Fails where the file does: it could not be read whole.
    [[nodiscard]] result<std::optional<slice>> next() { return next(rows_per_slice_); }

    /// The same, of at most `rows` rows.
    [[nodiscard]] result<std::optional<slice>> next(std::uint64_t rows) {
        if (skip_header_) {
            skip_header_ = false;
            if (auto moved = move(); !moved) return std::unexpected{moved.error()};
        }
        if (!is_begun_) {
            is_begun_ = true;
            if (auto moved = move(); !moved) return std::unexpected{moved.error()};
        }
        if (at_end_) return std::nullopt;
        slice slice{.offset = begin_, .first_row = row_number{rows_ + 1}, .line = line_};
        while (!at_end_ && slice.rows < rows && begin_ - slice.offset < enough_bytes &&
               slice.misquoted.size == 0 && slice.too_long.size == 0) {
            ++slice.rows;
            slice.misquoted = misquoted_;
            slice.too_long = too_long_;
            if (auto moved = move(); !moved) return std::unexpected{moved.error()};
        }
        rows_ += slice.rows;
        slice.size = begin_ - slice.offset;
        return slice;
    }

private:
    /// To the next row, or the end; `begin_` is where that is.
    [[nodiscard]] result<> move() {
        const auto found = scanner_.next();
        if (found == found::failure) return std::unexpected{scanner_.error()};
        at_end_ = found == found::end;
        begin_ = at_end_ ? scanner_.position() : scanner_.begin();
        if (!at_end_) line_ = scanner_.line();
        too_long_ = {};
        if (found == found::too_long)
            too_long_ = {.offset = begin_, .size = scanner_.passed_over(), .line = line_};
        if constexpr (requires { scanner_.misquoted(); })
            misquoted_ = found == found::misquoted ? scanner_.misquoted() : misquoted_row{};
        return {};
    }

    Scanner scanner_;
    std::uint64_t rows_per_slice_;
    std::uint64_t rows_ = 0;  ///< in the slices before
    std::uint64_t begin_ = 0;
    std::uint64_t line_ = 0;
    misquoted_row misquoted_;
    too_long_row too_long_;
    bool skip_header_;
    bool is_begun_ = false;
    bool at_end_ = false;
};

}  // namespace bulk
