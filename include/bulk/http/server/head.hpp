// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/http/message.hpp>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/verb.hpp>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

[[nodiscard]] inline std::string_view reason_for(int status) {
    switch (status) {
        case 400:
            return "the request is not what HTTP says it is";
        case 408:
            return "the request did not come in time";
        case 413:
            return "the body is larger than it may be, or not wanted at all";
        case 414:
            return "the address is too long";
        case 417:
            return "nothing but 100-continue can be expected";
        case 431:
            return "the headers are too long";
        case 501:
            return "the method or the transfer coding is not known";
        case 505:
            return "only HTTP/1.0 and HTTP/1.1 are spoken";
        default:
            return "the request is refused";
    }
}

/// The head of a request, or the status to refuse it with: what two readers could understand in two
/// ways is refused, since a proxy in front may be one of them.
template <typename Message>
[[nodiscard]] std::expected<request_head, int> head_of(const Message& message,
                                                       const std::string& peer) {
    namespace beast_http = boost::beast::http;
    request_head head{.peer = peer};
    switch (message.method()) {
        case beast_http::verb::get:
            head.verb = method::get;
            break;
        case beast_http::verb::head:
            head.verb = method::head;
            break;
        case beast_http::verb::post:
            head.verb = method::post;
            break;
        case beast_http::verb::put:
            head.verb = method::put;
            break;
        case beast_http::verb::patch:
            head.verb = method::patch;
            break;
        case beast_http::verb::delete_:
            head.verb = method::remove;
            break;
        case beast_http::verb::options:
            head.verb = method::options;
            break;
        default:
            return std::unexpected{501};
    }
    if (message.version() != 10 && message.version() != 11) return std::unexpected{505};
    head.target = std::string{message.target()};
    for (const auto& field : message)
        head.headers.add(std::string{field.name_string()}, std::string{field.value()});
    const auto hosts = head.headers.count("host");
    if (hosts > 1 || (hosts == 0 && message.version() == 11)) return std::unexpected{400};
    const bool has_coding = head.headers.has("transfer-encoding");
    if (head.headers.count("content-length") > 1 || head.headers.count("transfer-encoding") > 1 ||
        (has_coding && head.headers.has("content-length")) ||
        (has_coding && message.version() == 10))
        return std::unexpected{400};
    if (has_coding && !same_name(head.headers.get("transfer-encoding"), "chunked"))
        return std::unexpected{501};
    if (head.headers.has("expect") && !same_name(head.headers.get("expect"), "100-continue"))
        return std::unexpected{417};
    if (head.target.empty() || (head.target[0] != '/' && head.target != "*"))
        return std::unexpected{400};
    return head;
}

}  // namespace bulk::http
