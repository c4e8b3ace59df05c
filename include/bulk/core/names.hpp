// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bulk {

[[nodiscard]] constexpr char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Names of operations, steps and columns differ only if they differ in more than ASCII case.
[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower_case(a[i]) != lower_case(b[i])) return false;
    return true;
}

/// A text in the case in which names are compared and sorted.
[[nodiscard]] inline std::string folded(std::string_view text) {
    std::string all{text};
    for (char& c : all) c = lower_case(c);
    return all;
}

[[nodiscard]] constexpr bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Longer ones nobody mistypes: they are pasted.
inline constexpr std::size_t longest_name = 64;

/// The single-letter insertions, deletions and changes that turn `a` into `b`, case apart; of the
/// first `longest_name` letters.
[[nodiscard]] constexpr std::size_t edit_distance(std::string_view a, std::string_view b) {
    a = a.substr(0, longest_name);
    b = b.substr(0, longest_name);
    std::array<std::size_t, longest_name + 1> row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed =
                diagonal + (lower_case(a[i - 1]) == lower_case(b[j - 1]) ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

/// The name among `known` that somebody who wrote `wanted` most likely meant, if one is near: at
/// most a third of its letters off.
[[nodiscard]] constexpr std::optional<std::string_view> nearest_name(
    std::string_view wanted, std::span<const std::string_view> known) {
    std::optional<std::string_view> best;
    if (wanted.size() > longest_name) return best;
    std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string_view name : known)
        if (name.size() > longest_name)
            continue;
        else if (const auto distance = edit_distance(wanted, name); distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    return best;
}

}  // namespace bulk
