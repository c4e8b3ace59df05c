// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
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
[[nodiscard]] inline byte_source behind(std::string first, byte_source rest) {
    return byte_source{[first = std::move(first), given = std::size_t{0}, rest = std::move(rest)](
                           std::span<char> into) mutable -> result<std::size_t> {
        if (given == first.size()) return rest.read_some(into);
        const std::size_t count = std::min(into.size(), first.size() - given);
        std::copy_n(first.data() + given, count, into.data());
        given += count;
        return count;
    }};
}

/// The first bytes of a source, `size` of them if it has as many. They stay in the source.
[[nodiscard]] inline result<std::string> peek(byte_source& source, std::size_t size) {
    if (const auto text = source.memory()) return std::string{text->substr(0, size)};
    std::string begin(size, '\0');
    const auto got = source.read(begin);
    if (!got) return std::unexpected{got.error()};
    begin.resize(*got);
    source = behind(begin, std::move(source));
    return begin;
}

/// At most the first `size` bytes of a source.
[[nodiscard]] inline byte_source first_bytes(byte_source source, std::uint64_t size) {
    return byte_source{
        [source = std::move(source), size](std::span<char> into) mutable -> result<std::size_t> {
            const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size));
            if (most == 0) return std::size_t{0};
            auto got = source.read_some(into.first(most));
            if (got) size -= *got;
            return got;
        }};
}

/// A source that fails past `most` bytes, 0 being any number; `name` is for the message. It stops reading
/// there, so that a stream without end has one.
[[nodiscard]] inline byte_source at_most(byte_source bytes, std::string_view name,
                                         std::uint64_t most) {
    if (most == 0) return bytes;
    if (const auto content = bytes.memory(); content && content->size() <= most) return bytes;
    return byte_source{
        [bytes = std::move(bytes), name = std::string{name}, most,
         seen = std::uint64_t{0}](std::span<char> into) mutable -> result<std::size_t> {
            auto got = bytes.read_some(into);
            if (got) seen += *got;
            if (seen > most)
                return fail(errc::invalid_argument, concat("the file '", name, "' is larger than ",
                                                           most, " bytes, the most that is taken"));
            return got;
        }};
}

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
[[nodiscard]] inline byte_source bytes_of_descriptor(descriptor file, std::string name) {
    return byte_source{[file = std::move(file),
                        name = std::move(name)](std::span<char> into) -> result<std::size_t> {
        while (true) {
            const auto got = ::read(file.number(), into.data(), into.size());
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR)
                return fail(errc::unavailable, concat("cannot read ", name, ": ",
                                                      std::generic_category().message(errno)));
        }
    }};
}

/// A file, from `offset` on.
[[nodiscard]] inline result<byte_source> bytes_of_file(const std::string& path,
                                                       std::size_t offset = 0) {
    descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    const auto refuse = [&](std::string_view what) {
        const int code = errno;
        return fail(
            code == ENOENT ? errc::not_found : errc::unavailable,
            concat("cannot ", what, ' ', path, ": ", std::generic_category().message(code)));
    };
    if (file.number() < 0) return refuse("open");
    if (offset > 0 && ::lseek(file.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        return refuse("seek in");
    return bytes_of_descriptor(std::move(file), path);
}

}  // namespace bulk
