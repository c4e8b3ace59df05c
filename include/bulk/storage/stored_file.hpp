// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace bulk {

/// An upload as the file store keeps it.
struct stored_file {
    std::string id{};
    std::string name{};  ///< as it was given
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;  ///< of the content
    timestamp stored_at{};

    bool operator==(const stored_file&) const = default;
};

/// Gives the next bytes: it fills the beginning of the span and says how much; 0 is the end.
using byte_pull = std::function<result<std::size_t>(std::span<char>)>;

/// FNV-1a, 64 bits: tells whether a file is what was stored, not whether somebody forged it.
class checksum {
public:
    void add(std::span<const char> bytes) {
        for (const char byte : bytes)
            value_ = (value_ ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace bulk
