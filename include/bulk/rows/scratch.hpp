// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/window.hpp>

#include <cstddef>
#include <vector>

namespace bulk {

/// Where fields go that are not in the file as they read: those with pairs of quotes, or escapes.
/// Holds all that one row can need, so that what was taken stays where it is until the next row.
class scratch {
public:
    void clear(std::size_t row_size) {
        used_ = 0;
        if (memory_.size() < row_size + padding) memory_.resize(row_size + padding);
    }

    /// Room for `size` bytes, of which the next taker may have what is left over.
    [[nodiscard]] char* take(std::size_t size) {
        char* const begin = memory_.data() + used_;
        used_ += size;
        return begin;
    }

private:
    std::vector<char> memory_;
    std::size_t used_ = 0;
};

}  // namespace bulk
