// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bulk {

/// A universally unique identifier (RFC 9562); compares as its 16 bytes do.
struct uuid {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    auto operator<=>(const uuid&) const = default;
};

/// A version 7 identifier: later ones are greater (to the millisecond), so an index over them grows
/// at its end. Pure: the caller brings the moment and 74 random bits.
[[nodiscard]] constexpr uuid make_uuid(timestamp now, std::uint64_t random_high,
                                       std::uint64_t random_low) {
    const auto since_epoch =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
    const auto milliseconds = static_cast<std::uint64_t>(since_epoch.count());
    return {.high = milliseconds << 16 | std::uint64_t{7} << 12 | (random_high & 0xfff),
            .low = std::uint64_t{2} << 62 | (random_low >> 2)};
}

/// The usual 36 characters, in lower case.
[[nodiscard]] inline std::string to_text(const uuid& id) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (const std::uint64_t half : {id.high, id.low})
        for (int shift = 60; shift >= 0; shift -= 4) {
            if (text.size() == 8 || text.size() == 13 || text.size() == 18 || text.size() == 23)
                text += '-';
            text += digits[half >> shift & 0xf];
        }
    return text;
}

/// Reads the 36-character form, in either case.
[[nodiscard]] inline result<uuid> parse_uuid(std::string_view text) {
    const auto refuse = [&] {
        return fail(
            errc::invalid_argument,
            concat('\'', text.substr(0, 64),
                   "' is not a UUID: it takes the form 01234567-89ab-cdef-0123-456789abcdef"));
    };
    if (text.size() != 36) return refuse();
    uuid id;
    for (std::size_t i = 0, nibble = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (c != '-') return refuse();
            continue;
        }
        int digit = -1;
        if (c >= '0' && c <= '9') digit = c - '0';
        if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
        if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
        if (digit < 0) return refuse();
        auto& half = nibble++ < 16 ? id.high : id.low;
        half = half << 4 | static_cast<std::uint64_t>(digit);
    }
    return id;
}

}  // namespace bulk
