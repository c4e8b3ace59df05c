// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/reflect.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <span>
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

struct call;
using reply = or_problem<response>;
/// Answers a request of a route.
using handler = reply (*)(call&);

/// The topic of routes that speak as BulkSharp does: see `bulksharp/`.
inline constexpr std::string_view bulksharp_topic = "BulkSharp";

/// One thing that the API does. The router, `Allow`, the OpenAPI document and the tests are made of the
/// table of these, so none can know one that the others do not.
struct route {
    method verb{};
    std::string_view path{};  ///< `{name}` stands for one segment
    std::string_view id{};    ///< of the operation in OpenAPI
    handler answer = nullptr;
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

    [[nodiscard]] constexpr bool is_bulksharp() const { return topic == bulksharp_topic; }

    /// Reads. The methods below require the right to operate, unless `needing` says otherwise.
    [[nodiscard]] static constexpr route get(std::string_view path, std::string_view id,
                                             handler answer, std::string_view topic,
                                             std::string_view summary) {
        return {method::get, path, id, answer, topic, summary};
    }
    [[nodiscard]] static constexpr route post(std::string_view path, std::string_view id,
                                              handler answer, std::string_view topic,
                                              std::string_view summary) {
        return {method::post, path, id, answer, topic, summary, right::operate};
    }
    [[nodiscard]] static constexpr route put(std::string_view path, std::string_view id,
                                             handler answer, std::string_view topic,
                                             std::string_view summary) {
        return {method::put, path, id, answer, topic, summary, right::operate};
    }
    [[nodiscard]] static constexpr route remove(std::string_view path, std::string_view id,
                                                handler answer, std::string_view topic,
                                                std::string_view summary) {
        return {method::remove, path, id, answer, topic, summary, right::operate};
    }

    [[nodiscard]] constexpr route needing(right what) const {
        route made = *this;
        made.needs = what;
        return made;
    }
    /// A JSON body.
    [[nodiscard]] constexpr route taking(std::string_view schema) const {
        route made = *this;
        made.body = body_shape::json;
        made.takes = schema;
        return made;
    }
    [[nodiscard]] constexpr route taking_upload() const {
        route made = *this;
        made.body = body_shape::upload;
        return made;
    }
    /// JSON.
    [[nodiscard]] constexpr route giving(std::string_view schema, int code = 200) const {
        route made = *this;
        made.gives = schema;
        made.status = code;
        return made;
    }
    /// Bytes or text of one of these types, separated by commas.
    [[nodiscard]] constexpr route giving_content(std::string_view types) const {
        route made = *this;
        made.content = types;
        return made;
    }
    [[nodiscard]] constexpr route giving_nothing(int code = 204) const {
        route made = *this;
        made.content = {};
        made.status = code;
        return made;
    }
    [[nodiscard]] constexpr route with(std::span<const parameter> all) const {
        route made = *this;
        made.parameters = all;
        return made;
    }
    [[nodiscard]] constexpr route or_else(std::span<const other_answer> all) const {
        route made = *this;
        made.others = all;
        return made;
    }
};

/// What stood in the place of a route's `{name}`.
using captures = std::vector<std::pair<std::string_view, std::string_view>>;

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
