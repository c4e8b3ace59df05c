// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace bulk {

/// The text of a row and the line on which it stands, kept for long and in great numbers: one
/// pointer, and one block of exactly the size. A `std::string` is four times that before it has a
/// single character outside.
class row_text {
public:
    row_text() = default;
    row_text(std::string_view text, std::uint64_t line)
        : block_{std::make_unique_for_overwrite<char[]>(sizeof(header) + text.size())} {
        const header about{line, static_cast<std::uint32_t>(text.size())};
        std::memcpy(block_.get(), &about, sizeof about);
        if (!text.empty()) std::memcpy(block_.get() + sizeof about, text.data(), text.size());
    }

    [[nodiscard]] std::string_view view() const {
        if (block_ == nullptr) return {};
        return {block_.get() + sizeof(header), about().size};
    }
    [[nodiscard]] std::uint64_t line() const { return block_ == nullptr ? 0 : about().line; }

private:
    struct [[gnu::packed]] header {
        std::uint64_t line = 0;
        std::uint32_t size = 0;
    };

    [[nodiscard]] header about() const {
        header found;
        std::memcpy(&found, block_.get(), sizeof found);
        return found;
    }

    std::unique_ptr<char[]> block_;  ///< the header, then the characters
};

}  // namespace bulk
