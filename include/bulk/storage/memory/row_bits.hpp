// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/id.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bulk::memory {

/// A set of rows, one bit each. Over the words there is a bit for each that is not empty, so that
/// the next row is found over a gap of millions by a look at some hundred words.
class row_bits {
public:
    void insert(row_number row) {
        const auto at = to_number(row) / 64;
        if (at >= words_.size()) words_.resize(at + 1);
        if (at / 64 >= upper_.size()) upper_.resize(at / 64 + 1);
        size_ += has(row) ? 0 : 1;
        words_[at] |= bit(to_number(row));
        upper_[at / 64] |= bit(at);
    }

    void erase(row_number row) {
        if (!has(row)) return;
        const auto at = to_number(row) / 64;
        words_[at] &= ~bit(to_number(row));
        if (words_[at] == 0) upper_[at / 64] &= ~bit(at);
        --size_;
    }

    [[nodiscard]] bool has(row_number row) const {
        const auto at = to_number(row) / 64;
        return at < words_.size() && (words_[at] & bit(to_number(row))) != 0;
    }

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }

    /// The first that is not before `row`.
    [[nodiscard]] std::optional<row_number> next(row_number row) const {
        if (size_ == 0) return std::nullopt;
        const auto number = to_number(row);
        if (const auto found = next_in(words_, number, number / 64 + 1)) return row_number{*found};
        const auto word = next_in(upper_, number / 64 + 1, upper_.size());
        if (!word) return std::nullopt;
        return row_number{*word * 64 + lowest(words_[*word])};
    }

    /// The last that is not behind `row`.
    [[nodiscard]] std::optional<row_number> previous(row_number row) const {
        if (size_ == 0) return std::nullopt;
        const auto number = std::min(to_number(row), words_.size() * 64 - 1);
        if (const auto found = previous_in(words_, number, number / 64)) return row_number{*found};
        if (number < 64) return std::nullopt;
        const auto word = previous_in(upper_, number / 64 - 1, 0);
        if (!word) return std::nullopt;
        return row_number{*word * 64 + highest(words_[*word])};
    }

private:
    using word_list = std::vector<std::uint64_t>;

    static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % 64; }
    static std::uint64_t lowest(std::uint64_t word) {
        return static_cast<std::uint64_t>(std::countr_zero(word));
    }
    static std::uint64_t highest(std::uint64_t word) {
        return static_cast<std::uint64_t>(63 - std::countl_zero(word));
    }

    /// In the words before `end`.
    static std::optional<std::uint64_t> next_in(const word_list& in, std::uint64_t from,
                                                std::uint64_t end) {
        auto mask = ~std::uint64_t{0} << from % 64;
        for (auto at = from / 64; at < std::min<std::uint64_t>(end, in.size()); ++at) {
            if (const auto word = in[at] & mask) return at * 64 + lowest(word);
            mask = ~std::uint64_t{0};
        }
        return std::nullopt;
    }
    /// In the words from `begin` on.
    static std::optional<std::uint64_t> previous_in(const word_list& in, std::uint64_t from,
                                                    std::uint64_t begin) {
        auto mask = ~std::uint64_t{0} >> (63 - from % 64);
        for (auto at = from / 64 + 1; at > begin; --at) {
            if (const auto word = in[at - 1] & mask) return (at - 1) * 64 + highest(word);
            mask = ~std::uint64_t{0};
        }
        return std::nullopt;
    }

    word_list words_;
    word_list upper_;
    std::uint64_t size_ = 0;
};

/// Rows gathered to be counted, each once.
class row_mask {
public:
    /// From `first` to before `end`.
    void add(std::uint64_t first, std::uint64_t end) {
        if (first >= end) return;
        grow((end - 1) / 64 + 1);
        for (auto at = first / 64; at <= (end - 1) / 64; ++at) words_[at] |= part(at, first, end);
    }
    void add(const row_bits& rows) {
        grow(rows.words().size());
        for (std::size_t i = 0; i < rows.words().size(); ++i) words_[i] |= rows.words()[i];
    }
    void add(const row_mask& rows) {
        grow(rows.words_.size());
        for (std::size_t i = 0; i < rows.words_.size(); ++i) words_[i] |= rows.words_[i];
    }
    void remove(const row_bits& rows) {
        const auto count = std::min(words_.size(), rows.words().size());
        for (std::size_t i = 0; i < count; ++i) words_[i] &= ~rows.words()[i];
    }

    /// How many there are from `first` to before `end`.
    [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t end) const {
        std::uint64_t found = 0;
        end = std::min<std::uint64_t>(end, words_.size() * 64);
        for (auto at = first / 64; first < end && at <= (end - 1) / 64; ++at)
            found += static_cast<std::uint64_t>(std::popcount(words_[at] & part(at, first, end)));
        return found;
    }

private:
    /// The bits of one word that lie between the two.
    static std::uint64_t part(std::uint64_t word, std::uint64_t first, std::uint64_t end) {
        auto bits = ~std::uint64_t{0};
        if (word == first / 64) bits &= ~std::uint64_t{0} << first % 64;
        if (word == (end - 1) / 64) bits &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
        return bits;
    }
    void grow(std::size_t count) {
        if (count > words_.size()) words_.resize(count);
    }

    std::vector<std::uint64_t> words_;
};

}  // namespace bulk::memory
