// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/csv/dialect.hpp>
#include <bulk/rows/csv/end_positions.hpp>
#include <bulk/rows/csv/instruction_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bulk::csv {

/// Between two bytes. `may_open` and `after_quote`: a quote that follows opens a field, or is the
/// second of a pair; any other quote outside quotes is text.
struct scan_state {
    bool inside = false;       ///< a quoted field
    bool may_open = true;      ///< at the beginning of a field
    bool after_quote = false;  ///< just behind a quote that closes, unless another one follows
    bool closed = false;       ///< behind a closing quote and blanks that are trimmed
    bool comment = false;
    bool row_begins = true;
};

/// Where the fields and rows of a text end.
struct structure {
    end_positions ends{};
    std::vector<std::uint64_t> quoted_newlines{};  ///< part of a field; a bit for a byte
    std::vector<std::uint64_t> quotes{};           ///< a bit for a byte
    bool ascii = true;
    bool has_quotes = false;     ///< there may be some; else the two above are not set
    bool has_misplaced = false;  ///< somewhere text stands behind a closing quote
    scan_state state{};          ///< at the end of what was read

    /// How many newlines before `position` are part of a field.
    [[nodiscard]] std::uint64_t newlines_before(std::size_t position) const {
        if (!has_quotes) return 0;
        std::uint64_t count = 0;
        for (std::size_t word = 0; word < position / 64; ++word)
            count += static_cast<std::uint64_t>(std::popcount(quoted_newlines[word]));
        const std::uint64_t rest = (std::uint64_t{1} << position % 64) - 1;
        return count +
               static_cast<std::uint64_t>(std::popcount(quoted_newlines[position / 64] & rest));
    }

    void clear() {
        ends.clear();
        ascii = true;
        has_quotes = has_misplaced = false;
        state = {};
    }
};

/// Finds where fields and rows end in a text, from `from` to `to`, and adds that to `out`, whose
/// state is that at `from`, a multiple of 64. The byte at `to` is looked at (at the end of a text it
/// is no line feed), and `padding` bytes behind it must be readable. A last row without a newline is
/// not found: the caller knows whether more is to come.
void find_structure(const char* text, std::size_t from, std::size_t to, const dialect& dialect,
                    instruction_set set, structure& out);

}  // namespace bulk::csv
