// SPDX-License-Identifier: MIT
#pragma once

// What the functions of events and error groups do: see core/linkage.hpp for who includes this.

#include <bulk/core/concat.hpp>
#include <bulk/core/error_group.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/linkage.hpp>
#include <bulk/core/names.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// NOLINTBEGIN(misc-definitions-in-headers): BULK_INLINE says inline, or there is one unit
namespace bulk {

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

BULK_INLINE std::string error_pattern(std::string_view message) {
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

BULK_INLINE void error_grouping::add(const row_record& record) {
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

BULK_INLINE std::vector<error_group> error_grouping::groups() const {
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

BULK_INLINE void error_grouping::count(error_group& group, const row_record& record) {
    constexpr std::size_t most = 1024;
    if (group.count++ > 0 && group.first_row <= record.row) return;
    group.first_row = record.row;
    group.sample = detail::cut(record.error_message, most);
}

namespace detail {

BULK_INLINE event about(const operation_record& operation, event_kind kind, timestamp now) {
    return {.kind = kind,
            .operation = operation.id,
            .operation_name = operation.name,
            .state = operation.state,
            .time = now};
}

/// "2.045 s": as fine as a person reads it.
BULK_INLINE std::string seconds_text(std::chrono::microseconds span) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
    const std::string fraction = std::to_string(1000 + ms % 1000);
    return concat(ms / 1000, '.', std::string_view{fraction}.substr(1), " s");
}

/// Of the last run; 0 for an operation that ended before it began.
BULK_INLINE std::chrono::microseconds run_time(const operation_record& operation, timestamp now) {
    const auto ended = operation.completed_at.value_or(now);
    // A clock that was set back must not make a span negative.
    return std::max<std::chrono::microseconds>(std::chrono::microseconds{0},
                                               ended - operation.run_started_at.value_or(ended));
}

BULK_INLINE event_outcome outcome_of(const operation_record& operation, timestamp now) {
    return {.total = operation.validated ? std::optional{operation.rows.total} : std::nullopt,
            .processed = operation.rows.processed,
            .successful = operation.rows.successful,
            .failed = operation.rows.failed,
            .duration = run_time(operation, now)};
}

}  // namespace detail

BULK_INLINE std::string by_whom(std::string_view who) {
    return who.empty() ? std::string{} : concat(" by ", who);
}

BULK_INLINE event created_event(const operation_record& operation, std::string metadata) {
    auto event = detail::about(operation, event_kind::created, operation.created_at);
    event.message = concat("Operation created", by_whom(operation.created_by));
    event.created = event_creation{.created_by = operation.created_by,
                                   .file_name = operation.file_name,
                                   .metadata = std::move(metadata)};
    return event;
}

BULK_INLINE event status_changed_event(const operation_record& operation, operation_state previous,
                                       timestamp now) {
    auto event = detail::about(operation, event_kind::status_changed, now);
    event.previous = previous;
    event.message = concat(name_of(previous), " to ", name_of(operation.state));
    return event;
}

BULK_INLINE event requested_event(const operation_record& operation, std::string_view what,
                                  std::string_view who, timestamp now) {
    auto event = detail::about(operation, event_kind::requested, now);
    event.message = concat(what, " requested by ", who);
    return event;
}

BULK_INLINE std::optional<event> final_event(const operation_record& operation, timestamp now) {
    switch (operation.state) {
        case operation_state::completed:
        case operation_state::completed_with_errors: {
            auto event = detail::about(operation, event_kind::completed, now);
            event.level = operation.rows.failed > 0 ? severity::warning : severity::info;
            event.ended = detail::outcome_of(operation, now);
            event.message =
                concat(operation.rows.successful, '/', operation.rows.total, " rows succeeded in ",
                       detail::seconds_text(event.ended->duration));
            return event;
        }
        case operation_state::failed: {
            auto event = detail::about(operation, event_kind::failed, now);
            event.level = severity::error;
            event.ended = detail::outcome_of(operation, now);
            event.message = operation.error_message;
            return event;
        }
        case operation_state::cancelled: {
            auto event = detail::about(operation, event_kind::cancelled, now);
            event.level = severity::warning;
            event.ended = detail::outcome_of(operation, now);
            event.message = "Operation cancelled";
            if (operation.validated)
                event.message += concat(", ", unprocessed(operation.rows), " rows not processed");
            return event;
        }
        default:
            return std::nullopt;
    }
}

BULK_INLINE event run_event(const feed_run& run, event_kind kind, severity level, timestamp now,
                            std::string message) {
    return {.kind = kind,
            .level = level,
            .operation = {run.id.value},
            .operation_name = run.feed,
            .message = std::move(message),
            .time = now};
}

BULK_INLINE event row_failed_event(const operation_record& operation, const row_record& record,
                                   timestamp now) {
    auto event = detail::about(operation, event_kind::row_failed, now);
    event.level = severity::error;
    event.row = record.row;
    event.failure = record.failure;
    event.message = concat("Row ", to_number(record.row), ": ", record.error_message);
    return event;
}

}  // namespace bulk
// NOLINTEND(misc-definitions-in-headers)
