// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>

#include <cstddef>
#include <string>

namespace bulk {

// How long texts may be that come from outside and are kept for long.

inline constexpr std::size_t longest_message = 2'000;   ///< of an error
inline constexpr std::size_t longest_signal_key = 500;  ///< the user's part

/// A message as it is kept: what is too long ends with how long it was.
[[nodiscard]] inline std::string cut_message(std::string text) {
    if (text.size() <= longest_message) return text;
    const std::string note = concat(" ... (cut: ", text.size(), " bytes)");
    std::size_t end = longest_message - note.size();
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
    };
    while (end > 0 && continues(end)) --end;  // no character is cut in two
    text.resize(end);
    return text + note;
}

}  // namespace bulk
