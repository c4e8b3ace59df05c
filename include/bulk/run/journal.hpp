// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/operation/task.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bulk {

// What a coroutine step was told so far, as the record of its row keeps it: a letter for each
// answer, and a failure's text behind its size ("sof12:not approved").

[[nodiscard]] inline std::string to_journal(const std::vector<wait_answer>& told) {
    std::string text;
    for (const auto& each : told) {
        text += std::string_view{"soft"}[static_cast<std::size_t>(each.what)];
        if (each.what != wait_answer::kind::told_failure) continue;
        text += std::to_string(each.text.size());
        text += ':';
        text += each.text;
    }
    return text;
}

/// As far as it can be read: what a journal does not tell is waited for again.
[[nodiscard]] inline std::vector<wait_answer> parse_journal(std::string_view text) {
    std::vector<wait_answer> told;
    while (!text.empty()) {
        const auto letter = std::string_view{"soft"}.find(text.front());
        if (letter == std::string_view::npos) break;
        text.remove_prefix(1);
        wait_answer each{.what = static_cast<wait_answer::kind>(letter)};
        if (each.what == wait_answer::kind::told_failure) {
            std::size_t size = 0;
            const auto [end, status] =
                std::from_chars(text.data(), text.data() + text.size(), size);
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            if (status != std::errc{} || !text.starts_with(':') || text.size() <= size) break;
            each.text = text.substr(1, size);
            text.remove_prefix(1 + size);
        }
        told.push_back(std::move(each));
    }
    return told;
}

}  // namespace bulk
