// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace bulk::memory {

/// So many texts in one piece of memory, and in none when all are empty: most records that have a
/// text have one. In front of them are their sizes, seven bits a byte.
template <std::size_t N>
class packed_texts {
public:
    packed_texts() = default;
    explicit packed_texts(const std::array<std::string_view, N>& texts) {
        if (std::ranges::all_of(texts, &std::string_view::empty)) return;
        std::size_t size = 0;
        for (const auto text : texts) size += text.size() + size_bytes(text.size());
        bytes_ = std::make_unique_for_overwrite<char[]>(size);
        char* at = bytes_.get();
        for (const auto text : texts) {
            std::size_t left = text.size();
            for (; left >= 0x80; left >>= 7) *at++ = static_cast<char>(left | 0x80);
            *at++ = static_cast<char>(left);
        }
        for (const auto text : texts) at = std::ranges::copy(text, at).out;
    }

    [[nodiscard]] std::string_view operator[](std::size_t index) const {
        if (bytes_ == nullptr) return {};
        const char* at = bytes_.get();
        std::size_t before = 0, size = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const std::size_t each = take_size(at);
            if (i < index) before += each;
            if (i == index) size = each;
        }
        return {at + before, size};
    }

private:
    static std::size_t size_bytes(std::size_t size) {
        std::size_t bytes = 1;
        for (; size >= 0x80; size >>= 7) ++bytes;
        return bytes;
    }
    static std::size_t take_size(const char*& at) {
        std::size_t size = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(*at++);
            size |= std::size_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return size;
        }
    }

    std::unique_ptr<char[]> bytes_;
};

}  // namespace bulk::memory
