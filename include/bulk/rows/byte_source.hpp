// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace bulk {

/// Bytes that are pulled: from memory, a file, a decompressor, the network. A move-only handle
/// around anything that can be called as `result<std::size_t>(std::span<char>)`: it fills the
/// beginning of the span and says how much; 0 is the end.
class byte_source {
public:
    template <typename Pull>
        requires(!std::same_as<std::remove_cvref_t<Pull>, byte_source> &&
                 std::is_invocable_r_v<result<std::size_t>, Pull&, std::span<char>>)
    explicit byte_source(Pull pull) : pull_{std::make_unique<model<Pull>>(std::move(pull))} {}

    /// Bytes in memory, which must outlive the source unless it is given their owner. Readers that
    /// can, read them where they are.
    explicit byte_source(std::string_view text, std::shared_ptr<const void> owner = nullptr)
        : owner_{std::move(owner)}, text_{text}, in_memory_{true} {}

    /// All that is left, when it is in memory.
    [[nodiscard]] std::optional<std::string_view> memory() const {
        if (!in_memory_) return std::nullopt;
        return text_;
    }

    /// The same, and the source is at its end then. The bytes live as long as it does.
    [[nodiscard]] std::optional<std::string_view> take_memory() {
        if (!in_memory_) return std::nullopt;
        return std::exchange(text_, {});
    }

    /// One pull. May return less than the span holds long before the end.
    [[nodiscard]] result<std::size_t> read_some(std::span<char> into) {
        if (!in_memory_) return pull_->read(into);
        const std::size_t count = std::min(text_.size(), into.size());
        if (count > 0) std::memcpy(into.data(), text_.data(), count);
        text_.remove_prefix(count);
        return count;
    }

    /// Pulls until the span is full or the source has ended.
    [[nodiscard]] result<std::size_t> read(std::span<char> into) {
        std::size_t have = 0;
        while (have < into.size()) {
            const auto got = read_some(into.subspan(have));
            if (!got) return std::unexpected{got.error()};
            if (*got == 0) break;
            have += *got;
        }
        return have;
    }

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual result<std::size_t> read(std::span<char> into) = 0;
    };
    template <typename Pull>
    struct model final : interface {
        explicit model(Pull pull) : pull{std::move(pull)} {}
        result<std::size_t> read(std::span<char> into) override { return pull(into); }
        Pull pull;
    };

    std::unique_ptr<interface> pull_;
    std::shared_ptr<const void> owner_;  ///< of the text
    std::string_view text_;
    bool in_memory_ = false;
};

[[nodiscard]] inline byte_source bytes_of_text(std::string_view text) { return byte_source{text}; }

/// Some bytes, and then what is left of a source.
[[nodiscard]] byte_source behind(std::string first, byte_source rest);

/// The first bytes of a source, `size` of them if it has as many. They stay in the source.
[[nodiscard]] result<std::string> peek(byte_source& source, std::size_t size);

/// At most the first `size` bytes of a source.
[[nodiscard]] byte_source first_bytes(byte_source source, std::uint64_t size);

/// A source that fails past `most` bytes, 0 being any number; `name` is for the message. It stops reading
/// there, so that a stream without end has one.
[[nodiscard]] byte_source at_most(byte_source bytes, std::string_view name, std::uint64_t most);

/// An open file, closed at the end of its life.
class descriptor {
public:
    explicit descriptor(int number) : number_{number} {}
    descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

/// What is left of an open file, pipe or socket; `name` is for messages.
[[nodiscard]] byte_source bytes_of_descriptor(descriptor file, std::string name);

/// A file, from `offset` on.
[[nodiscard]] result<byte_source> bytes_of_file(const std::string& path, std::size_t offset = 0);

}  // namespace bulk

#ifndef BULK_COMPILED
#include <bulk/rows/byte_source_implementation.hpp>
#endif
