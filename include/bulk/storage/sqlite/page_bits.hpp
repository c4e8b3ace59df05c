// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/completed_run.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace bulk::sqlite {

/// Some of the rows of one page.
class page_bits {
public:
    [[nodiscard]] bool has(std::size_t at) const { return (words_[at / 64] >> at % 64 & 1) != 0; }
    void add(std::size_t at) { words_[at / 64] |= std::uint64_t{1} << at % 64; }
    void remove(std::size_t at) { words_[at / 64] &= ~(std::uint64_t{1} << at % 64); }

    /// From `first` to before `end`.
    void add(std::size_t first, std::size_t end) {
        while (first < end) {
            const auto bit = first % 64, count = std::min(end - first, 64 - bit);
            const auto ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
            words_[first / 64] |= ones << bit;
            first += count;
        }
    }
    void add(const page_bits& others) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
    }
    void keep(const page_bits& others) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= others.words_[i];
    }

    [[nodiscard]] std::uint64_t count() const {
        std::uint64_t all = 0;
        for (const auto word : words_) all += static_cast<std::uint64_t>(std::popcount(word));
        return all;
    }

    /// Each in order or backwards, until `visit` says false, which is then the answer.
    template <typename Visit>
    bool each(bool is_descending, Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const auto at = is_descending ? words_.size() - 1 - i : i;
            for (auto word = words_[at]; word != 0;) {
                const auto bit = static_cast<std::size_t>(
                    is_descending ? 63 - std::countl_zero(word) : std::countr_zero(word));
                word &= ~(std::uint64_t{1} << bit);
                if (!visit(at * 64 + bit)) return false;
            }
        }
        return true;
    }

private:
    std::array<std::uint64_t, rows_per_page / 64> words_{};
};

}  // namespace bulk::sqlite
