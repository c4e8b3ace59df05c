// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/window.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace bulk {

/// Where fields go that are not in the file as they read: those with pairs of quotes, or escapes.
/// What was taken stays where it is until the next row.
class scratch {
public:
    /// Gets ready for a row. All that a usual row can need is there at once; of a long one hardly any
    /// field is taken.
    void clear(std::size_t row_size) {
        constexpr std::size_t usual = std::size_t{64} * 1024;
        used_ = 0;
        more_.clear();
        const std::size_t needed = std::min(row_size, usual) + padding;
        if (memory_.size() < needed) memory_.resize(needed);
    }

    /// Room for `size` bytes, of which the next taker may have what is left over.
    [[nodiscard]] char* take(std::size_t size) {
        if (used_ + size + padding > memory_.size()) [[unlikely]] {
            more_.push_back(std::make_unique_for_overwrite<char[]>(size + padding));
            return more_.back().get();
        }
        char* const begin = memory_.data() + used_;
        used_ += size;
        return begin;
    }

private:
    std::vector<char> memory_;
    std::vector<std::unique_ptr<char[]>> more_;
    std::size_t used_ = 0;
};

}  // namespace bulk
