// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/dashboard/assets.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>

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

/// All of it is packed: every browser unpacks it, and who cannot is told so.
[[nodiscard]] inline response answer(const asset& file, const request_head& head) {
    response said{
        .headers = {{"Content-Type", std::string{file.type}},
                    {"Content-Encoding", "gzip"},
                    {"Vary", "Accept-Encoding"},
                    {"ETag", std::string{file.etag}},
                    {"Cache-Control",
                     file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache"},
                    {"Content-Security-Policy", std::string{content_security_policy}}}};
    if (is_known(head.headers, file.etag)) {
        said.status = 304;
        return said;
    }
    said.body = file.gzip;
    return said;
}

}  // namespace bulk::http::dashboard
