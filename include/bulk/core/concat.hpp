// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace bulk {

/// Text and whole numbers in a row, in one string. (`std::format` is missing from libstdc++ 12.)
template <typename... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    std::string text;
    const auto append = [&]<typename Part>(const Part& part) {
        if constexpr (std::same_as<Part, char>) {
            text += part;
        } else if constexpr (std::integral<Part>) {
            char digits[24];
            const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, part);
            text.append(digits, end);
        } else {
            text += std::string_view{part};
        }
    };
    (append(parts), ...);
    return text;
}

}  // namespace bulk
