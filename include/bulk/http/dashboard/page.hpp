// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/dashboard/assets.hpp>
#include <bulk/http/message.hpp>
#include <bulk/rows/byte_source.hpp>
#include <bulk/rows/gzip.hpp>

#include <array>
#include <string>
#include <string_view>

namespace bulk::http::dashboard {

/// The file of the dashboard at a path; its own addresses (`/operations/…`) are all its first page, which
/// reads them. None is for the API to answer.
[[nodiscard]] inline const asset* find(std::string_view path, const request_head& head) {
    for (const auto& each : assets)
        if (each.path == path) return &each;
    const bool is_elsewhere = path.starts_with("/api") || path.starts_with("/assets/") ||
                              path.starts_with("/openapi") || path == "/metrics" ||
                              path == "/healthz" || path == "/readyz";
    const bool is_page = head.headers.get("accept").contains("text/html");
    if (is_elsewhere || !is_page) return nullptr;
    return find("/", head);
}

namespace detail {

[[nodiscard]] inline std::string unpacked(const asset& file) {
    auto source = gunzip(bytes_of_text(file.gzip));
    std::string text;
    std::array<char, 16'384> piece{};
    for (auto count = source.read_some(piece); count && *count > 0; count = source.read_some(piece))
        text.append(piece.data(), *count);
    return text;
}

}  // namespace detail

/// All of it is packed, as every browser asks for it; who does not gets it unpacked, under another tag.
[[nodiscard]] inline response answer(const asset& file, const request_head& head) {
    const bool is_packed = accepts_gzip(head.headers);
    const std::string etag = is_packed
                                 ? std::string{file.etag}
                                 : concat(file.etag.substr(0, file.etag.size() - 1), "-unpacked\"");
    response said{
        .headers = {{"Content-Type", std::string{file.type}},
                    {"Vary", "Accept-Encoding"},
                    {"ETag", etag},
                    {"Cache-Control",
                     file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache"},
                    {"Content-Security-Policy", std::string{content_security_policy}}}};
    if (is_known(head.headers, etag)) {
        said.status = 304;
        return said;
    }
    if (is_packed) said.headers.add("Content-Encoding", "gzip");
    said.body = is_packed ? std::string{file.gzip} : detail::unpacked(file);
    return said;
}

}  // namespace bulk::http::dashboard
