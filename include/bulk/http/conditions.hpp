// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http {

namespace detail {

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

[[nodiscard]] constexpr std::string_view without_weakness(std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
}

}  // namespace detail

/// Whether somebody knows it already (If-None-Match, RFC 9110 13.1.2).
[[nodiscard]] inline bool is_known(const header_list& headers, std::string_view etag) {
    std::string_view list = headers.get("if-none-match");
    while (!list.empty()) {
        const auto end = list.find(',');
        const auto tag = detail::trimmed(list.substr(0, end));
        list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
        if (tag == "*" || detail::without_weakness(tag) == detail::without_weakness(etag))
            return true;
    }
    return false;
}

/// Some bytes of so many.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

enum class range_answer : std::uint8_t { whole, part, unsatisfiable };

/// What `Range` asks for. One range only: several are answered with all of it, as RFC 9110 allows, and
/// so is what is no range at all.
[[nodiscard]] inline range_answer range_of(const header_list& headers, std::string_view etag,
                                           std::uint64_t size, byte_range& found) {
    std::string_view text = detail::trimmed(headers.get("range"));
    if (!text.starts_with("bytes=") || headers.count("range") != 1) return range_answer::whole;
    if (headers.has("if-range") && detail::trimmed(headers.get("if-range")) != etag)
        return range_answer::whole;
    text = detail::trimmed(text.substr(6));
    const auto dash = text.find('-');
    if (dash == std::string_view::npos || text.contains(',')) return range_answer::whole;
    const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        const auto [end, status] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
        return value;
    };
    const auto first = number(text.substr(0, dash)), last = number(text.substr(dash + 1));
    if (dash == 0) {
        if (!last) return range_answer::whole;
        if (*last == 0 || size == 0) return range_answer::unsatisfiable;
        found.length = *last < size ? *last : size;
        found.first = size - found.length;
        return range_answer::part;
    }
    const bool is_open = dash + 1 == text.size();
    if (!first || (!last && !is_open) || (last && *last < *first)) return range_answer::whole;
    if (*first >= size) return range_answer::unsatisfiable;
    found.first = *first;
    found.length = (is_open || *last >= size ? size - 1 : *last) - *first + 1;
    return range_answer::part;
}

namespace detail {

/// Whether one of a list like `gzip, br;q=0.5, *;q=0` is taken, by what `is_meant` says of its name.
template <typename IsMeant>
[[nodiscard]] bool is_taken(std::string_view list, IsMeant is_meant) {
    while (!list.empty()) {
        const auto end = list.find(',');
        const auto each = list.substr(0, end);
        list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
        const auto weight = each.find("q=0");
        const bool is_none = weight != std::string_view::npos &&
                             each.find_first_of("123456789", weight + 3) == std::string_view::npos;
        if (!is_none && is_meant(trimmed(each.substr(0, each.find(';'))))) return true;
    }
    return false;
}

}  // namespace detail

/// Whether `Accept` takes a type; the empty one takes all.
[[nodiscard]] inline bool accepts(const header_list& headers, std::string_view type) {
    const std::string_view list = headers.get("accept");
    if (detail::trimmed(list).empty()) return true;
    const auto family = type.substr(0, type.find('/'));
    return detail::is_taken(list, [&](std::string_view each) {
        if (each == "*/*" || each == type) return true;
        return each.ends_with("/*") && each.substr(0, each.size() - 2) == family;
    });
}

/// Whether `Accept-Encoding` asks for gzip. Who says nothing may not know it.
[[nodiscard]] inline bool accepts_gzip(const header_list& headers) {
    return detail::is_taken(headers.get("accept-encoding"), [](std::string_view each) {
        return same_name(each, "gzip") || same_name(each, "x-gzip") || each == "*";
    });
}

}  // namespace bulk::http
