// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace bulk {

/// Where an upload comes from, and what it is. The store keeps both as they are given.
struct file_origin {
    std::string content_type{};  ///< a media type without parameters, such as text/csv
    std::string uploaded_by{};
};

/// An upload as the file store keeps it.
struct stored_file {
    std::string id{};
    std::string name{};  ///< as it was given
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;  ///< of the content
    timestamp stored_at{};
    std::string content_type{};  ///< empty: unknown, as of files that older versions stored
    std::string uploaded_by{};

    bool operator==(const stored_file&) const = default;
};

/// Gives the next bytes: it fills the beginning of the span and says how much; 0 is the end.
using byte_pull = std::function<result<std::size_t>(std::span<char>)>;

/// XXH3, 64 bits: tells whether a file is what was stored, not whether somebody forged it.
class checksum {
public:
    checksum() : state_{XXH3_createState()} {
        if (state_ != nullptr) XXH3_64bits_reset(state_.get());
    }
    void add(std::span<const char> bytes) {
        if (state_ != nullptr) XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
    }
    [[nodiscard]] std::uint64_t value() const {
        return state_ == nullptr ? 0 : XXH3_64bits_digest(state_.get());
    }

private:
    struct release {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, release> state_;
};

/// The same of a text that is there as a whole.
[[nodiscard]] inline std::uint64_t content_hash(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
}

/// The hash of what `before` is the hash of, followed by one more word.
[[nodiscard]] inline std::uint64_t continued_hash(std::uint64_t before, std::uint64_t word) {
    return XXH3_64bits_withSeed(&word, sizeof word, before);
}

}  // namespace bulk
