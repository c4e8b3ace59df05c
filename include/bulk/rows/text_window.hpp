// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/rows/byte_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace bulk {

/// Bytes that may be read, not used, behind the end of any text that is scanned.
inline constexpr std::size_t padding = 64;

/// The part of a text that is at hand: it moves along a source of any size, and is of fixed size
/// unless it is told to grow. `padding` bytes behind it can be read. A byte order mark at the
/// beginning of the file is passed over.
class text_window {
public:
    /// `offset` is where the source begins in the file.
    text_window(byte_source source, std::size_t capacity, std::uint64_t offset)
        : source_{std::move(source)},
          capacity_{std::max<std::size_t>(capacity, 64)},
          offset_{offset},
          at_file_begin_{offset == 0} {
        memory_ = source_.take_memory().value_or(std::string_view{});
    }

    [[nodiscard]] const char* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view text() const { return {data_, size_}; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }  ///< of data() in the file
    [[nodiscard]] bool has_ended() const { return ended_; }         ///< nothing is to come

    /// Whether the text is read where it is, without a copy.
    [[nodiscard]] bool is_in_place() const { return in_place_; }

    void grow(std::size_t capacity) { capacity_ = std::max(capacity, capacity_); }
    /// Takes no more than so much at a time from now on; what is at hand stays.
    void shrink(std::size_t capacity) { capacity_ = std::max<std::size_t>(capacity, 64); }

    /// Forgets the first bytes that are at hand.
    void drop(std::size_t count) {
        data_ += count;
        size_ -= count;
        offset_ += count;
    }

    /// Takes as much as the window holds, or finds the end. Text that is in memory is read where it
    /// is, but for its end, behind which nothing may be read.
    [[nodiscard]] result<> read_on() {
        if (size_ >= capacity_ || ended_) return {};
        const std::size_t more = capacity_ - size_;
        if (memory_.size() > more + padding) {
            if (data_ == nullptr) data_ = memory_.data();
            in_place_ = true;
            memory_.remove_prefix(more);
            size_ += more;
        } else {
            make_buffer();
            const std::size_t copied = std::min(memory_.size(), more);
            if (copied > 0) std::memcpy(buffer_.get() + size_, memory_.data(), copied);
            memory_.remove_prefix(copied);
            size_ += copied;
            const auto got = source_.read({buffer_.get() + size_, capacity_ - size_});
            if (!got) return std::unexpected{got.error()};
            size_ += *got;
            ended_ = size_ < capacity_;
            std::memset(buffer_.get() + size_, 0, padding);
        }
        if (std::exchange(at_file_begin_, false) && text().starts_with("\xef\xbb\xbf")) drop(3);
        return {};
    }

private:
    /// Brings what is at hand to the beginning of a buffer that has room for all the window holds.
    /// One that grew is given back when little of it is used: one long row must not cost its memory
    /// for the rest of the file. Its bytes are not set, so that those that are not used are not real.
    void make_buffer() {
        const std::size_t needed = capacity_ + padding;
        if (buffer_size_ < needed || buffer_size_ / 4 > needed) {
            auto buffer = std::make_unique_for_overwrite<char[]>(needed);
            if (size_ > 0) std::memcpy(buffer.get(), data_, size_);
            buffer_ = std::move(buffer);
            buffer_size_ = needed;
        } else if (size_ > 0) {
            std::memmove(buffer_.get(), data_, size_);
        }
        data_ = buffer_.get();
        in_place_ = false;
    }

    byte_source source_;
    std::string_view memory_;  ///< what is left of a text in memory
    std::unique_ptr<char[]> buffer_;
    std::size_t buffer_size_ = 0;
    const char* data_ = nullptr;  ///< in the buffer, or where the text is
    std::size_t size_ = 0;
    std::size_t capacity_;
    std::uint64_t offset_;
    bool at_file_begin_;
    bool in_place_ = false;
    bool ended_ = false;
};

}  // namespace bulk
