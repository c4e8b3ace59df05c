// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_type.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/row_record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace bulk {

/// Errors that say the same of different rows.
struct error_group {
    std::string pattern{};  ///< what they have in common; see `error_pattern`
    std::optional<error_type> failure{};
    step_index step = validation_step;
    std::uint64_t count = 0;
    row_number first_row{};
    std::string sample{};  ///< what the first row's error says

    bool operator==(const error_group&) const = default;
};

namespace detail {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_hex_digit(char c) {
    return is_digit(c) || (lower_case(c) >= 'a' && lower_case(c) <= 'f');
}
/// Letters of other scripts too: all their bytes are beyond ASCII.
[[nodiscard]] constexpr bool is_word(char c) {
    return is_digit(c) || (lower_case(c) >= 'a' && lower_case(c) <= 'z') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// At most so many bytes, cut between two characters.
[[nodiscard]] constexpr std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
    return text.substr(0, most);
}

/// How long the quoted text is that a text begins with, both quotes included; 0 when it is none. An
/// apostrophe within a word neither opens nor closes.
[[nodiscard]] constexpr std::size_t quoted_size(std::string_view text, char before) {
    const char quote = text.front();
    if (quote == '\'' && is_word(before)) return 0;
    for (auto end = text.find(quote, 1); end != std::string_view::npos;
         end = text.find(quote, end + 1))
        if (quote != '\'' || end + 1 == text.size() || !is_word(text[end + 1])) return end + 1;
    return 0;
}

/// How long the number is that a text begins with, where a word begins: a UUID, eight or more
/// hexadecimal digits, or digits with points and commas between them. 0 when it is none.
[[nodiscard]] constexpr std::size_t number_size(std::string_view text, bool at_word_begin) {
    if (at_word_begin) {
        constexpr std::string_view uuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
        const auto fits = [&](std::size_t i) {
            return uuid[i] == 'x' ? is_hex_digit(text[i]) : text[i] == uuid[i];
        };
        std::size_t same = 0;
        while (same < uuid.size() && same < text.size() && fits(same)) ++same;
        if (same == uuid.size() && (same == text.size() || !is_word(text[same]))) return same;
        std::size_t hex = 0;
        bool has_digit = false;
        for (; hex < text.size() && is_hex_digit(text[hex]); ++hex)
            has_digit |= is_digit(text[hex]);
        if (hex >= 8 && has_digit && (hex == text.size() || !is_word(text[hex]))) return hex;
    }
    std::size_t size = 0;
    while (size < text.size() && is_digit(text[size])) {
        while (size < text.size() && is_digit(text[size])) ++size;
        const bool goes_on = size + 1 < text.size() && (text[size] == '.' || text[size] == ',') &&
                             is_digit(text[size + 1]);
        if (goes_on) ++size;
    }
    return size;
}

}  // namespace detail

/// What messages about different rows have in common: numbers and identifiers become `#`, text in
/// quotes `…`. The name of a column stays, since another column is another error. Long messages are
/// cut.
[[nodiscard]] inline std::string error_pattern(std::string_view message) {
    constexpr std::size_t most_read = 1024, most_kept = 512;
    message = detail::cut(message, most_read);
    std::string pattern;
    for (std::size_t i = 0; i < message.size() && pattern.size() < most_kept + 4;) {
        const char c = message[i];
        const char before = i == 0 ? ' ' : message[i - 1];
        const auto rest = message.substr(i);
        if (c == '\'' || c == '"' || c == '`') {
            if (const auto size = detail::quoted_size(rest, before); size > 0) {
                if (pattern.ends_with("column "))
                    pattern += rest.substr(0, size);
                else
                    (pattern += c).append("…") += c;
                i += size;
                continue;
            }
        }
        if (const auto size = detail::number_size(rest, !detail::is_word(before)); size > 0) {
            pattern += '#';
            i += size;
            continue;
        }
        pattern += c;
        ++i;
    }
    pattern.resize(detail::cut(pattern, most_kept).size());
    return pattern;
}

/// Counts errors by what they say, in memory that does not grow with them: beyond so many patterns
/// the rest is one group, "others".
class error_grouping {
public:
    static constexpr std::size_t default_limit = 1000;

    explicit error_grouping(std::size_t limit = default_limit) : limit_{limit} {}

    void add(const row_record& record) {
        key at{error_pattern(record.error_message), record.failure, record.step};
        auto found = groups_.find(at);
        if (found == groups_.end() && groups_.size() >= limit_) {
            if (!others_) others_.emplace(error_group{.pattern = "others"});
            count(*others_, record);
            return;
        }
        if (found == groups_.end()) {
            error_group fresh{
                .pattern = std::get<0>(at), .failure = record.failure, .step = record.step};
            found = groups_.emplace(std::move(at), std::move(fresh)).first;
        }
        count(found->second, record);
    }

    /// The largest first, then by first row; the others last.
    [[nodiscard]] std::vector<error_group> groups() const {
        std::vector<error_group> all;
        all.reserve(groups_.size() + 1);
        for (const auto& [at, group] : groups_) all.push_back(group);
        std::ranges::sort(all, [](const error_group& a, const error_group& b) {
            return std::tie(b.count, a.first_row, a.pattern, a.step) <
                   std::tie(a.count, b.first_row, b.pattern, b.step);
        });
        if (others_) all.push_back(*others_);
        return all;
    }

private:
    using key = std::tuple<std::string, std::optional<error_type>, step_index>;

    static void count(error_group& group, const row_record& record) {
        constexpr std::size_t most = 1024;
        if (group.count++ > 0 && group.first_row <= record.row) return;
        group.first_row = record.row;
        group.sample = detail::cut(record.error_message, most);
    }

    std::size_t limit_;
    std::map<key, error_group> groups_;
    std::optional<error_group> others_;
};

}  // namespace bulk
