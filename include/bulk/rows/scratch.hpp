// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/rows/text_window.hpp>

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
        used_ = 0;
        if (row_size + padding > memory_.size()) [[unlikely]]
            memory_.resize(std::max(memory_.size(), std::min(row_size, usual) + padding));
        if (!more_.empty()) [[unlikely]]
            more_.clear();
    }

    /// Room for `size` bytes, of which the next taker may have what is left over.
    [[nodiscard]] char* take(std::size_t size) {
        if (used_ + size + padding > memory_.size()) [[unlikely]]
            return take_more(size);
        char* const begin = memory_.data() + used_;
        used_ += size;
        return begin;
    }

private:
    static constexpr std::size_t usual = std::size_t{64} * 1024;

    [[nodiscard, gnu::noinline]] char* take_more(std::size_t size) {
        more_.push_back(std::make_unique_for_overwrite<char[]>(size + padding));
        return more_.back().get();
    }

    std::vector<char> memory_;
    std::vector<std::unique_ptr<char[]>> more_;
    std::size_t used_ = 0;
};

}  // namespace bulk
