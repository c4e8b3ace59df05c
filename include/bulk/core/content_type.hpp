// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bulk {

inline constexpr std::string_view unknown_content_type = "application/octet-stream";

/// The media type of a file by its extension, in any case.
[[nodiscard]] constexpr std::string_view content_type_by_name(std::string_view file_name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> known{
        {{"csv", "text/csv"},
         {"tsv", "text/tab-separated-values"},
         {"json", "application/json"},
         {"ndjson", "application/x-ndjson"},
         {"jsonl", "application/x-ndjson"},
         {"txt", "text/plain"},
         {"xml", "application/xml"},
         {"gz", "application/gzip"},
         {"zst", "application/zstd"},
         {"zstd", "application/zstd"}}};
    const auto dot = file_name.find_last_of("./\\");
    if (dot == std::string_view::npos || file_name[dot] != '.') return unknown_content_type;
    for (const auto& [extension, type] : known)
        if (same_name(extension, file_name.substr(dot + 1))) return type;
    return unknown_content_type;
}

/// `Text/CSV; charset=utf-8` as `text/csv`. Empty for what is no media type (RFC 6838), and for what
/// clients send when they do not know: a stream of bytes, or the type of a form.
[[nodiscard]] constexpr std::string media_type(std::string_view given) {
    constexpr std::size_t most = 127;
    given = given.substr(0, given.find(';'));
    while (!given.empty() && (given.back() == ' ' || given.back() == '\t')) given.remove_suffix(1);
    while (!given.empty() && (given.front() == ' ' || given.front() == '\t'))
        given.remove_prefix(1);
    std::string type;
    for (const char c : given) type += lower_case(c);
    const auto slash = type.find('/');
    const auto is_name = [](std::string_view part) {
        constexpr std::string_view marks = "!#$&-^_.+";
        const auto is_plain = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        };
        return !part.empty() && is_plain(part.front()) &&
               std::ranges::all_of(part, [&](char c) { return is_plain(c) || marks.contains(c); });
    };
    if (slash == std::string::npos || type.size() > most ||
        !is_name(std::string_view{type}.substr(0, slash)) ||
        !is_name(std::string_view{type}.substr(slash + 1)))
        return {};
    if (type == unknown_content_type || type == "application/x-www-form-urlencoded" ||
        type == "binary/octet-stream" || type.starts_with("multipart/"))
        return {};
    return type;
}

/// What whoever uploads a file says that it is, otherwise what its name says.
[[nodiscard]] constexpr std::string content_type_of_upload(std::string_view given,
                                                           std::string_view file_name) {
    auto type = media_type(given);
    return type.empty() ? std::string{content_type_by_name(file_name)} : type;
}

}  // namespace bulk
