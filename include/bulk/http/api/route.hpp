// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/target.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// What somebody needs to be allowed to do it.
enum class right : std::uint8_t {
    open,
    read,
    files,  ///< to read, and to see files as they were uploaded
    operate,
};
BOOST_DESCRIBE_ENUM(right, open, read, files, operate)

enum class body_shape : std::uint8_t {
    none,
    json,    ///< an object, of the schema that the route names
    upload,  ///< a file: a form, or the bytes themselves
};
BOOST_DESCRIBE_ENUM(body_shape, none, json, upload)

enum class place : std::uint8_t { query, header };
BOOST_DESCRIBE_ENUM(place, query, header)

/// `type` is that of a member of a schema: see schema.hpp.
struct parameter {
    std::string_view name{};
    std::string_view type{};
    std::string_view about{};
    bool is_required = false;
    place in = place::query;
};

/// What else a route answers when all goes well.
struct other_answer {
    int status = 0;
    std::string_view about{};
    std::string_view schema{};
    std::string_view content = "application/json";
};

/// One thing that the API does. The router, `Allow`, the OpenAPI document and the tests are made of the
/// table of these, so none can know one that the others do not.
struct route {
    method verb{};
    std::string_view path{};  ///< `{name}` stands for one segment
    std::string_view id{};    ///< of the operation in OpenAPI, and of its handler
    std::string_view topic{};
    std::string_view summary{};
    right needs = right::read;
    body_shape body = body_shape::none;
    std::string_view takes{};  ///< the schema of a JSON body
    int status = 200;
    std::string_view gives{};  ///< the schema of the answer; empty: bytes, text or nothing
    std::string_view content = "application/json";
    std::span<const parameter> parameters{};
    std::span<const other_answer> others{};
};

/// What stood in the place of a route's `{name}`.
using captures = std::vector<std::pair<std::string_view, std::string_view>>;

/// Whether a path is of that form.
[[nodiscard]] inline std::optional<captures> match(std::string_view pattern,
                                                   const std::vector<std::string>& path) {
    captures found;
    std::size_t at = 0;
    while (!pattern.empty()) {
        pattern.remove_prefix(1);  // the slash
        if (pattern.empty()) break;
        const auto segment = pattern.substr(0, pattern.find('/'));
        pattern.remove_prefix(segment.size());
        if (at == path.size()) return std::nullopt;
        if (segment.starts_with('{'))
            found.emplace_back(segment.substr(1, segment.size() - 2), path[at]);
        else if (segment != path[at])
            return std::nullopt;
        ++at;
    }
    if (at != path.size()) return std::nullopt;
    return found;
}

[[nodiscard]] constexpr std::string_view verb_name(method verb) {
    switch (verb) {
        case method::get:
            return "GET";
        case method::head:
            return "HEAD";
        case method::post:
            return "POST";
        case method::put:
            return "PUT";
        case method::patch:
            return "PATCH";
        case method::remove:
            return "DELETE";
        default:
            return "OPTIONS";
    }
}

}  // namespace bulk::http::api
