// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>

#include <boost/beast/http/status.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http {

/// How the end of a body is told.
struct body_framing {
    std::optional<std::uint64_t> length{};
    bool is_chunked = false;
};

/// Nothing follows the head of such an answer, whatever it says.
[[nodiscard]] constexpr bool is_bodiless(int status) {
    return status < 200 || status == 204 || status == 304;
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, worked out once a second.
[[nodiscard]] inline std::string_view date_now() {
    thread_local std::time_t last = -1;
    thread_local std::array<char, 32> text{};
    thread_local std::size_t size = 0;
    if (const std::time_t now = std::time(nullptr); now != last) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        // By hand: strftime writes the days in the language of the process.
        static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        const std::string_view day = days.at(static_cast<std::size_t>(parts.tm_wday));
        const std::string_view month = months.at(static_cast<std::size_t>(parts.tm_mon));
        std::string made;
        const auto pad = [&](int number) {
            made += static_cast<char>('0' + number / 10 % 10);
            made += static_cast<char>('0' + number % 10);
        };
        made.append(day).append(", ");
        pad(parts.tm_mday);
        made.append(1, ' ').append(month).append(1, ' ');
        pad((parts.tm_year + 1900) / 100);
        pad((parts.tm_year + 1900) % 100);
        made += ' ';
        pad(parts.tm_hour);
        made += ':';
        pad(parts.tm_min);
        made += ':';
        pad(parts.tm_sec);
        made += " GMT";
        size = made.copy(text.data(), text.size());
        last = now;
    }
    return {text.data(), size};
}

/// The head of an answer as it is sent. How long the body is and whether the connection goes on says the
/// server alone.
[[nodiscard]] inline std::string head_text(const response& said, const body_framing& framing,
                                           bool keeps, bool is_http_11) {
    std::string text;
    text.reserve(512);
    const auto number = [&](std::uint64_t value) {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        text.append(digits.data(), end);
    };
    text += "HTTP/1.1 ";
    number(static_cast<std::uint64_t>(said.status));
    text += ' ';
    const std::string_view reason = boost::beast::http::obsolete_reason(
        boost::beast::http::int_to_status(static_cast<unsigned>(said.status)));
    text.append(reason).append("\r\n");
    bool has_date = false;
    for (const auto& [name, value] : said.headers.all()) {
        if (same_name(name, "content-length") || same_name(name, "transfer-encoding") ||
            same_name(name, "connection"))
            continue;
        has_date = has_date || same_name(name, "date");
        const auto add = [&](std::string_view part) {  // nobody begins another header within one
            for (const char c : part)
                text += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
        };
        add(name);
        text += ": ";
        add(value);
        text += "\r\n";
    }
    if (!has_date) text.append("Date: ").append(date_now()).append("\r\n");
    if (framing.length) {
        text += "Content-Length: ";
        number(*framing.length);
        text += "\r\n";
    } else if (framing.is_chunked) {
        text += "Transfer-Encoding: chunked\r\n";
    }
    if (!keeps)
        text += "Connection: close\r\n";
    else if (!is_http_11)
        text += "Connection: keep-alive\r\n";
    text += "\r\n";
    return text;
}

}  // namespace bulk::http
