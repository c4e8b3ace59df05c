// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/message.hpp>

#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bulk::http {

/// Why a request was not answered as it asked, as RFC 9457 has it. `kind` never changes its meaning:
/// programs rely on it.
struct problem_kind {
    std::string_view name{};
    int status = 500;
    std::string_view title{};
};

namespace problems {

inline constexpr problem_kind invalid_argument{"invalid_argument", 400, "The request is wrong"};
inline constexpr problem_kind unauthenticated{"unauthenticated", 401, "Say who you are"};
inline constexpr problem_kind forbidden{"forbidden", 403, "That is not yours to do"};
inline constexpr problem_kind not_found{"not_found", 404, "There is no such thing"};
inline constexpr problem_kind method_not_allowed{"method_not_allowed", 405,
                                                 "That cannot be done here"};
inline constexpr problem_kind not_acceptable{"not_acceptable", 406,
                                             "There is no answer of that type"};
inline constexpr problem_kind timeout{"timeout", 408, "It did not come in time"};
inline constexpr problem_kind conflict{"conflict", 409, "Somebody else was faster"};
inline constexpr problem_kind illegal_transition{"illegal_transition", 409,
                                                 "That cannot be done now"};
inline constexpr problem_kind gone{"gone", 410, "It is gone"};
inline constexpr problem_kind length_required{"length_required", 411, "It must say how long it is"};
inline constexpr problem_kind precondition_failed{"precondition_failed", 412,
                                                  "It is not what it was"};
inline constexpr problem_kind too_large{"too_large", 413, "That is too large"};
inline constexpr problem_kind uri_too_long{"uri_too_long", 414, "The address is too long"};
inline constexpr problem_kind unsupported_media_type{"unsupported_media_type", 415,
                                                     "That type is not taken"};
inline constexpr problem_kind range{"range", 416, "There are no such bytes"};
inline constexpr problem_kind expectation_failed{"expectation_failed", 417,
                                                 "That cannot be expected"};
inline constexpr problem_kind misdirected{"misdirected", 421, "Another host is meant"};
inline constexpr problem_kind unprocessable{"unprocessable", 422, "That does not fit"};
inline constexpr problem_kind too_many_requests{"too_many_requests", 429, "Too many requests"};
inline constexpr problem_kind too_many_headers{"too_many_headers", 431, "The headers are too long"};
inline constexpr problem_kind internal{"internal", 500, "Something is wrong here"};
inline constexpr problem_kind not_implemented{"not_implemented", 501, "That is not known here"};
inline constexpr problem_kind unavailable{"unavailable", 503, "Try again later"};
inline constexpr problem_kind query_timeout{"query_timeout", 503, "Query timed out"};
inline constexpr problem_kind version{"version", 505, "That version is not spoken"};

inline constexpr std::array all{invalid_argument,
                                unauthenticated,
                                forbidden,
                                not_found,
                                method_not_allowed,
                                not_acceptable,
                                timeout,
                                conflict,
                                gone,
                                length_required,
                                precondition_failed,
                                too_large,
                                uri_too_long,
                                unsupported_media_type,
                                range,
                                expectation_failed,
                                misdirected,
                                unprocessable,
                                too_many_requests,
                                too_many_headers,
                                internal,
                                not_implemented,
                                unavailable,
                                version,
                                illegal_transition,
                                query_timeout};

}  // namespace problems

struct problem {
    problem_kind kind = problems::internal;
    std::string detail{};  ///< what is wrong, and what to do
    std::string field{};   ///< the parameter or member that is
    header_list headers{};
    std::string fault{};  ///< for the operator's log; the client never sees it
};

/// A value, or the problem document that is the answer.
template <typename T>
using or_problem = std::expected<T, problem>;

[[nodiscard]] inline std::unexpected<problem> refuse(const problem_kind& kind, std::string detail,
                                                     std::string field = {}) {
    return std::unexpected{problem{kind, std::move(detail), std::move(field)}};
}

/// The kind that a server refuses with by a status alone.
[[nodiscard]] constexpr problem_kind kind_of(int status) {
    for (const auto& each : problems::all)
        if (each.status == status) return each;
    return problems::internal;
}

[[nodiscard]] constexpr problem_kind kind_of(errc code) {
    switch (code) {
        case errc::invalid_argument:
        case errc::invalid_row:
            return problems::invalid_argument;
        case errc::illegal_transition:
            return problems::illegal_transition;
        case errc::not_found:
            return problems::not_found;
        case errc::conflict:
            return problems::conflict;
        case errc::unavailable:
        case errc::timed_out:
        case errc::storage_lost:
            return problems::unavailable;
        case errc::damaged:  // the message names the operation and the rows, and no file
        default:
            return problems::internal;
    }
}

/// The one place where the error of a service becomes an answer. What a storage says when it fails names
/// files and quotes SQL: that is for the operator, and a client is told what it can do.
[[nodiscard]] inline problem problem_of(error why, std::string field = {}) {
    problem made{kind_of(why.code), std::move(why.message), std::move(field)};
    if (made.kind.status == 503) made.headers.add("Retry-After", "1");
    if (why.code == errc::unavailable || why.code == errc::storage_lost)
        made.fault = std::exchange(
            made.detail, "the server cannot complete this request at the moment: try again later");
    return made;
}

/// Names the entry of the operator's log that has the reason.
inline void add_request_id(problem& why, std::string_view id) {
    why.detail += concat("; the operator finds the reason in the log under request id ", id);
    why.headers.set("X-Request-Id", std::string{id});
}

/// What a service said, or why not.
template <typename T>
[[nodiscard]] or_problem<T> asked(result<T> said, std::string_view field = {}) {
    if (!said) return std::unexpected{problem_of(std::move(said).error(), std::string{field})};
    if constexpr (std::is_void_v<T>)
        return {};
    else
        return std::move(*said);
}

/// What a client gets instead of an answer.
struct problem_document {
    std::string type{};
    std::string title{};
    int status = 0;
    std::string detail{};
    std::optional<std::string> field{};
    std::string instance{};
};
BOOST_DESCRIBE_STRUCT(problem_document, (), (type, title, status, detail, field, instance))

/// RFC 9457 has no null: a member without a value is left out.
struct problem_style : api_style {
    static constexpr bool omits_none = true;
};

/// `instance` is the path that was asked for.
[[nodiscard]] inline response to_response(const problem& why, std::string_view instance) {
    const problem_document document{
        .type = concat("urn:bulk:problem:", why.kind.name),
        .title = std::string{why.kind.title},
        .status = why.kind.status,
        .detail = why.detail,
        .field = why.field.empty() ? std::nullopt : std::optional{why.field},
        .instance = std::string{instance}};
    response said{.status = why.kind.status,
                  .headers = why.headers,
                  .body = json_of<problem_style>(document)};
    said.headers.set("Content-Type", "application/problem+json");
    return said;
}

[[nodiscard]] inline response json_response(int status, std::string body) {
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(body)};
}
template <described_struct Body>
[[nodiscard]] response json_response(int status, const Body& body) {
    return json_response(status, json_of(body));
}

}  // namespace bulk::http
