// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/http/server/request_line.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

namespace bulk::http {

/// Looks for the end of a head while it comes, and sees at once what can never be one.
class head_scanner {
public:
    head_scanner(std::size_t most_target, std::size_t most_head)
        : most_line_{most_target + longest_around_target}, most_head_{most_head} {}

    /// `text` is all that has come, and begins with what it began with last time. 0: the end is not
    /// there yet; else how long the head is; or the status to refuse it with.
    [[nodiscard]] std::expected<std::size_t, int> look(std::string_view text) {
        // Whoever speaks TLS or something else here need not wait for a time-out to learn it.
        if (!text.empty() && (text[0] < 'A' || text[0] > 'z')) return std::unexpected{400};
        while (true) {
            const auto at = text.find('\n', seen_);
            if (at == std::string_view::npos) break;
            if (at == 0 || text[at - 1] != '\r') return std::unexpected{400};
            if (line_ == 0 && at > most_line_) return std::unexpected{414};
            if (at + 1 > most_head_) break;
            // Nor need one who speaks HTTP/0.9, or some other language of lines.
            if (line_ == 0 && at > 1 && !ends_with_version(text.substr(0, at - 1)))
                return std::unexpected{400};
            if (at - 1 == line_) return at + 1;
            line_ = at + 1;
            seen_ = at + 1;
        }
        if (line_ == 0 && text.size() > most_line_) return std::unexpected{414};
        if (text.size() > most_head_) return std::unexpected{line_ == 0 ? 414 : 431};
        seen_ = text.size();
        return 0;
    }

private:
    static constexpr std::size_t longest_around_target =
        32;  ///< "OPTIONS  HTTP/1.1\r\n" and some air

    std::size_t most_line_;
    std::size_t most_head_;
    std::size_t seen_ = 0;
    std::size_t line_ = 0;  ///< where the line begins that is not whole
};

}  // namespace bulk::http
