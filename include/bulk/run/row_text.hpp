// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace bulk {

/// A text that is kept for long and in great numbers: one pointer, and one block of exactly its
/// size. A `std::string` is four times that before it has a single character outside.
class row_text {
public:
    row_text() = default;
    explicit row_text(std::string_view text)
        : block_{std::make_unique_for_overwrite<char[]>(sizeof(std::uint32_t) + text.size())} {
        const auto size = static_cast<std::uint32_t>(text.size());
        std::memcpy(block_.get(), &size, sizeof size);
        if (!text.empty()) std::memcpy(block_.get() + sizeof size, text.data(), text.size());
    }

    [[nodiscard]] std::string_view view() const {
        if (block_ == nullptr) return {};
        std::uint32_t size = 0;
        std::memcpy(&size, block_.get(), sizeof size);
        return {block_.get() + sizeof size, size};
    }

private:
    std::unique_ptr<char[]> block_;  ///< the size, then the characters
};

}  // namespace bulk
