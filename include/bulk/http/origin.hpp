// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::http {

/// What pages of other sites may do in the browser of somebody who may do more.
struct origin_rules {
    std::vector<std::string> hosts{};    ///< names that we go by, without a port; any case
    std::vector<std::string> origins{};  ///< pages elsewhere that may ask: `https://ops.example`
};

/// The host of `Host` or of an origin without its port: `[::1]:8080` is `[::1]`.
[[nodiscard]] constexpr std::string_view without_port(std::string_view host) {
    const auto end = host.starts_with('[') ? host.find(']') : std::string_view::npos;
    const auto colon = host.find(':', end == std::string_view::npos ? 0 : end);
    return host.substr(0, colon);
}

/// A name could lead here from another site's page (DNS rebinding); an address cannot.
[[nodiscard]] inline bool is_address(std::string_view host) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (host.starts_with('[') && host.ends_with(']'))
        return ::inet_pton(AF_INET6, std::string{host.substr(1, host.size() - 2)}.c_str(),
                           bytes.data()) == 1;
    return ::inet_pton(AF_INET, std::string{host}.c_str(), bytes.data()) == 1;
}

[[nodiscard]] inline or_problem<void> check_host(const request_head& head,
                                                 const origin_rules& rules) {
    const std::string_view host = without_port(head.headers.get("host"));
    if (host.empty() && !head.headers.has("host")) return {};  // HTTP/1.0
    if (is_address(host) || same_name(host, "localhost")) return {};
    for (const auto& each : rules.hosts)
        if (same_name(each, host)) return {};
    return refuse(problems::misdirected,
                  concat("this server does not go by the name '", host.substr(0, 64),
                         "': list it among its hosts if it should"));
}

/// Whether a browser could send it: `https://ops.example:8443`, with no path and nothing that stands
/// for anything else. Another one would be listed in vain.
[[nodiscard]] constexpr bool is_exact_origin(std::string_view origin) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme) && origin.size() > scheme.size())
            return origin.find_first_of("/*?#@ ,", scheme.size()) == std::string_view::npos &&
                   std::ranges::none_of(origin, [](char c) { return c >= 'A' && c <= 'Z'; });
    return false;
}

[[nodiscard]] inline bool is_allowed_origin(std::string_view origin, const origin_rules& rules) {
    return std::ranges::find(rules.origins, origin) != rules.origins.end();
}

/// Whether a page of our own asks: `http://HOST` or `https://HOST`, as `Host` says it.
[[nodiscard]] inline bool is_own_origin(std::string_view origin, const request_head& head) {
    const std::string_view host = head.headers.get("host");
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme) && same_name(origin.substr(scheme.size()), host))
            return !host.empty();
    return false;
}

/// Pages of other sites change nothing here, whoever looks at them. What is no browser says neither.
[[nodiscard]] inline or_problem<void> check_origin(const request_head& head,
                                                   const origin_rules& rules) {
    const std::string_view origin = head.headers.get("origin");
    if (!origin.empty() && (is_own_origin(origin, head) || is_allowed_origin(origin, rules)))
        return {};
    const std::string_view site = head.headers.get("sec-fetch-site");
    const bool is_ours = site.empty() || site == "same-origin" || site == "none";
    if (origin.empty() && is_ours) return {};
    return refuse(problems::forbidden,
                  concat("a page of ", origin.empty() ? "another site" : origin.substr(0, 128),
                         " cannot change anything here: list its origin if it should"));
}

/// Whether a text is a list of header names that can be repeated in an answer.
[[nodiscard]] constexpr bool is_header_list(std::string_view text) {
    return !text.empty() && text.size() <= 1024 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == ',' || c == ' ';
    });
}

/// What the browser is told of pages elsewhere that may ask. They are listed by name and may do what a
/// page of our own may, so any header of theirs and their credentials are taken.
inline void add_cors(response& said, const request_head& head, const origin_rules& rules) {
    if (rules.origins.empty()) return;
    said.headers.add("Vary", "Origin");
    const std::string_view origin = head.headers.get("origin");
    if (origin.empty() || !is_allowed_origin(origin, rules)) return;
    // Never `*`, which a browser refuses together with credentials: the origin itself.
    said.headers.set("Access-Control-Allow-Origin", std::string{origin});
    said.headers.set("Access-Control-Allow-Credentials", "true");
    said.headers.set("Access-Control-Expose-Headers",
                     "Content-Disposition, ETag, Location, Retry-After");
    if (head.verb != method::options) return;
    said.headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
    const std::string_view wanted = head.headers.get("access-control-request-headers");
    said.headers.set("Access-Control-Allow-Headers",
                     is_header_list(wanted)
                         ? std::string{wanted}
                         : "Authorization, Content-Type, Content-Encoding, Idempotency-Key, "
                           "If-None-Match, If-Range, Last-Event-ID, Range");
    said.headers.set("Access-Control-Max-Age", "600");
}

/// Nothing of ours is framed, sniffed or kept by anybody.
inline void add_safety(response& said) {
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!said.headers.has(name)) said.headers.add(std::string{name}, std::string{value});
    };
    add("X-Content-Type-Options", "nosniff");
    add("Cache-Control", "no-store");
    add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
    add("X-Frame-Options", "DENY");
    add("Referrer-Policy", "no-referrer");
    add("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace bulk::http
