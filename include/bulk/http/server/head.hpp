// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/server/authority.hpp>
#include <bulk/http/server/request_line.hpp>
#include <bulk/http/server/token.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// What a server has to know of a head besides what the application does.
struct parsed_head {
    request_head head{};
    bool is_http_11 = true;
    bool keeps = true;  ///< the connection is used on
    bool wants_continue = false;
    bool is_chunked = false;
    std::uint64_t length = 0;  ///< of a body that is not chunked

    [[nodiscard]] bool has_body() const { return is_chunked || length > 0; }
};

/// Reads a head, from the request line to the empty line, as RFC 9112 has it and no more leniently: what
/// two readers could understand in two ways is refused, since a proxy in front may be one of them. Fails
/// with the status to refuse it with.
[[nodiscard]] std::expected<parsed_head, int> parse_head(std::string_view text,
                                                         std::size_t most_target);

namespace detail {

[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

/// Calls with each of `a, b, c`.
template <typename Call>
constexpr void for_each_element(std::string_view list, Call call) {
    while (true) {
        const auto comma = list.find(',');
        if (const auto element = without_blanks(list.substr(0, comma)); !element.empty())
            call(element);
        if (comma == std::string_view::npos) return;
        list.remove_prefix(comma + 1);
    }
}

[[nodiscard]] constexpr std::optional<method> method_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, method>, 7> all{
        {{"GET", method::get},
         {"HEAD", method::head},
         {"POST", method::post},
         {"PUT", method::put},
         {"PATCH", method::patch},
         {"DELETE", method::remove},
         {"OPTIONS", method::options}}};
    for (const auto& [known, verb] : all)
        if (known == name) return verb;
    return std::nullopt;
}

/// 0, or the status to refuse it with. `http://host/path` becomes `/path`, and the host is that one
/// whatever the header says.
[[nodiscard]] inline int read_target(std::string_view text, request_head& head) {
    for (const char c : text)
        if (c == '#' || static_cast<unsigned char>(c) <= 0x20 ||
            static_cast<unsigned char>(c) >= 0x7F)
            return 400;
    if (text == "*") {
        if (head.verb != method::options) return 400;
    } else if (!text.starts_with('/')) {
        const auto scheme = text.find("://");
        if (scheme == std::string_view::npos) return 400;
        if (!same_name(text.substr(0, scheme), "http") &&
            !same_name(text.substr(0, scheme), "https"))
            return 400;
        text.remove_prefix(scheme + 3);
        const auto end = std::min(text.find_first_of("/?"), text.size());
        if (end == 0 || !is_authority(text.substr(0, end))) return 400;
        head.headers.set("Host", std::string{text.substr(0, end)});
        text.remove_prefix(end);
        if (!text.starts_with('/')) {
            head.target = '/';
            head.target += text;
            return 0;
        }
    }
    head.target = text;
    return 0;
}

/// The length of the body and how it comes: 0, or the status to refuse it with.
[[nodiscard]] inline int read_framing(parsed_head& parsed) {
    std::size_t lengths = 0, codings = 0;
    int wrong = 0;
    std::string_view last, all_codings;
    for (const auto& [name, value] : parsed.head.headers.all()) {
        if (same_name(name, "content-length")) {
            ++lengths;
            const char* const end = value.data() + value.size();
            if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos)
                wrong = 400;
            else if (std::from_chars(value.data(), end, parsed.length).ec != std::errc{})
                wrong = 413;
        } else if (same_name(name, "transfer-encoding")) {
            ++codings;
            all_codings = value;
        }
    }
    if (lengths > 1 || codings > 1 || (lengths > 0 && codings > 0)) return 400;
    if (wrong != 0 || codings == 0) return wrong;
    if (!parsed.is_http_11) return 400;
    std::size_t count = 0, chunked = 0;
    for_each_element(all_codings, [&](std::string_view coding) {
        ++count;
        chunked += same_name(coding, "chunked") ? 1U : 0U;
        last = coding;
    });
    // Where the end is nobody knows unless it comes in chunks at last, and once.
    if (!same_name(last, "chunked") || chunked > 1) return 400;
    if (count > 1) return 501;
    parsed.is_chunked = true;
    return 0;
}

/// Each line is a name, a colon and a value. No space in front of the colon, no line that goes on in
/// the next, no control characters.
[[nodiscard]] inline bool read_fields(std::string_view text, header_list& into) {
    while (!text.starts_with("\r\n")) {
        const auto end = text.find("\r\n");
        if (end == std::string_view::npos) return false;
        const auto line = text.substr(0, end);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
        const auto value = without_blanks(line.substr(colon + 1));
        if (!is_field_value(value)) return false;
        into.add(std::string{line.substr(0, colon)}, std::string{value});
        text.remove_prefix(end + 2);
    }
    return text.size() == 2;
}

/// 0, or the status to refuse it with.
[[nodiscard]] inline int read_wishes(parsed_head& parsed) {
    bool closes = false, keeps = false, is_upgrade = false, is_known = true;
    std::size_t hosts = 0;
    for (const auto& [name, value] : parsed.head.headers.all()) {
        if (same_name(name, "host")) {
            ++hosts;
            if (value.empty() || !is_authority(value)) return 400;
        } else if (same_name(name, "connection")) {
            for_each_element(value, [&](std::string_view option) {
                closes = closes || same_name(option, "close");
                keeps = keeps || same_name(option, "keep-alive");
                is_upgrade = is_upgrade || same_name(option, "upgrade");
            });
        } else if (same_name(name, "expect")) {
            is_known = is_known && same_name(value, "100-continue");
            parsed.wants_continue = parsed.is_http_11;
        }
    }
    if (hosts > 1 || (hosts == 0 && parsed.is_http_11)) return 400;
    parsed.keeps = !closes && (parsed.is_http_11 || keeps);
    parsed.head.is_upgrade = is_upgrade;
    return is_known ? 0 : 417;
}

}  // namespace detail

inline std::expected<parsed_head, int> parse_head(std::string_view text, std::size_t most_target) {
    const auto line_end = text.find("\r\n");
    if (line_end == std::string_view::npos) return std::unexpected{400};
    const auto line = text.substr(0, line_end);
    const auto first = line.find(' ');
    const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) return std::unexpected{400};
    const auto name = line.substr(0, first);
    const auto target = line.substr(first + 1, second - first - 1);
    const auto version = line.substr(second + 1);
    if (!is_token(name) || target.empty() || version.size() != 8 || !ends_with_version(line))
        return std::unexpected{400};
    if (version[5] != '1') return std::unexpected{505};
    if (target.size() > most_target) return std::unexpected{414};

    parsed_head parsed{.is_http_11 = version[7] != '0'};
    const auto verb = detail::method_of(name);
    parsed.head.verb = verb.value_or(method::get);
    if (!detail::read_fields(text.substr(line_end + 2), parsed.head.headers))
        return std::unexpected{400};
    const int wishes = detail::read_wishes(parsed);
    if (wishes == 400) return std::unexpected{400};
    const int framing = detail::read_framing(parsed);
    if (framing == 400) return std::unexpected{400};
    if (!verb) return std::unexpected{501};  // whose target may have a form of its own
    if (const int wrong = detail::read_target(target, parsed.head); wrong != 0)
        return std::unexpected{wrong};
    if (framing != 0) return std::unexpected{framing};
    if (wishes != 0) return std::unexpected{wishes};
    return parsed;
}

}  // namespace bulk::http
