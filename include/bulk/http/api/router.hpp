// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/bulksharp/ids.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/dashboard/page.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/origin.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/http/target.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulk::http::api {

[[nodiscard]] inline std::string path_of(const request_head& head) {
    return head.target.substr(0, head.target.find('?'));
}

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

/// The route of a request, and who sent it. It can be moved, but not copied: `found` points into `address`.
struct admission {
    admission() = default;
    admission(admission&&) = default;
    admission& operator=(admission&&) = default;
    ~admission() = default;

    const route* on = nullptr;
    target address{};
    captures found{};
    principal who{};
};

/// Finds the route of a request by its head, and checks all that the head tells: host, rights, origin and
/// media types.
class router {
public:
    router(bool has_operations, bool has_feeds, const api_options& options)
        : has_operations_{has_operations}, has_feeds_{has_feeds}, options_{options} {}

    /// Or the response, where no handler is needed for it.
    [[nodiscard]] std::variant<admission, response> admit(const request_head& head) const {
        auto address = parse_target(head.target);
        if (!address) return to_response(problem_of(std::move(address).error()), "/");
        const auto refused = [&](const problem& why) { return to_response(why, path_of(head)); };
        if (auto host = check_host(head, options_.origins); !host) return refused(host.error());
        admission found;
        found.address = std::move(*address);
        const auto allowed = find_route(found, head);
        if (head.verb == method::options && (!allowed.empty() || head.target == "*"))
            return response{.status = 204, .headers = {{"Allow", allowed}}};
        if (found.on == nullptr) return without_route(head, allowed);
        if (found.on->needs == right::open) return found;
        auto who = options_.access(head);
        if (!who) return refused(who.error());
        found.who = std::move(*who);
        if (auto may = check_rights(found, head); !may) return refused(may.error());
        if (auto fits = check_head(*found.on, head); !fits) return refused(fits.error());
        return found;
    }

private:
    /// The methods that the path has, as `Allow` lists them.
    [[nodiscard]] std::string find_route(admission& found, const request_head& head) const {
        const method verb = head.verb == method::head ? method::get : head.verb;
        std::string allowed;
        for (const auto& each : all_routes) {
            if (!is_served(each, has_operations_, has_feeds_)) continue;
            auto captured = match(each.path, found.address.path);
            if (!captured) continue;
            if (each.is_bulksharp() && !bulksharp::has_guid(*captured))
                continue;  // `{id:guid}` there
            const std::string_view name = verb_name(each.verb);
            if (!allowed.contains(name)) allowed += concat(allowed.empty() ? "" : ", ", name);
            // The first that fits: what is named stands in front of what is captured.
            if (each.verb == verb && found.on == nullptr) {
                found.on = &each;
                found.found = std::move(*captured);
            }
        }
        if (allowed.contains("GET")) allowed += ", HEAD";
        if (!allowed.empty()) allowed += ", OPTIONS";
        return allowed;
    }

    /// A file of the page, or why there is nothing.
    [[nodiscard]] response without_route(const request_head& head, std::string allowed) const {
        if (!allowed.empty()) return not_allowed(head, std::move(allowed));
        const bool is_reading = head.verb == method::get || head.verb == method::head;
        const auto* file = options_.has_dashboard ? dashboard::find(path_of(head), head) : nullptr;
        if (file != nullptr && is_reading) return dashboard::answer(*file, head);
        // The page is for reading; so is its place where no page is served.
        if (!is_reading && (file != nullptr || path_of(head) == "/"))
            return not_allowed(head, "GET, HEAD");
        return to_response({problems::not_found, concat("nothing is at ", path_of(head)), {}},
                           path_of(head));
    }

    /// The path exists and the method is not allowed there. A browser asks with OPTIONS whether a page of another
    /// origin may do something here, and takes any error for a no.
    [[nodiscard]] static response not_allowed(const request_head& head, std::string allowed) {
        if (head.verb == method::options && head.headers.has("origin") &&
            head.headers.has("access-control-request-method"))
            return {.status = 204, .headers = {{"Allow", std::move(allowed)}}};
        problem why{problems::method_not_allowed,
                    concat(verb_name(head.verb), " is not allowed here; allowed: ", allowed)};
        why.headers.add("Allow", std::move(allowed));
        return to_response(why, path_of(head));
    }

    [[nodiscard]] or_problem<void> check_rights(const admission& found,
                                                const request_head& head) const {
        if (found.on->needs == right::files && !found.who.may_read_files)
            return refuse(
                problems::forbidden,
                concat('\'', found.who.name, "' has no right to read uploaded files (`files`)"));
        if (found.on->needs != right::operate) return {};
        if (auto ours = check_origin(head, options_.origins); !ours)
            return std::unexpected{std::move(ours).error()};
        if (!found.who.may_operate)
            return refuse(problems::forbidden,
                          concat('\'', found.who.name, "' may look, but not act"));
        return {};
    }

    [[nodiscard]] static or_problem<void> check_head(const route& on, const request_head& head) {
        const std::string_view type = head.headers.get("content-type");
        const auto bare = type.substr(0, type.find(';'));
        if (on.body == body_shape::json && !type.empty() && !same_name(bare, "application/json"))
            return refuse(problems::unsupported_media_type,
                          concat("the body is application/json, and not ", type.substr(0, 64)),
                          "Content-Type");
        // What a form of any page in the world can send is not taken for a file.
        // BulkSharp's uploads are forms and nothing else, which their handlers check.
        if (on.body == body_shape::upload && !on.is_bulksharp() &&
            (same_name(bare, "text/plain") || same_name(bare, "application/x-www-form-urlencoded")))
            return refuse(problems::unsupported_media_type,
                          "send multipart/form-data, or the file itself as text/csv, "
                          "application/json or application/octet-stream",
                          "Content-Type");
        // What is there has weak tags only, which no condition of a change may rely on (RFC 9110 13.1.1).
        if (on.needs == right::operate && head.headers.has("if-match") &&
            head.headers.get("if-match") != "*")
            return refuse(problems::precondition_failed,
                          "whether it is what it was cannot be told: leave If-Match out",
                          "If-Match");
        if (on.verb == method::get && !on.gives.empty() && !on.is_bulksharp() &&
            !accepts(head.headers, "application/json"))
            return refuse(problems::not_acceptable, "the answer is application/json", "Accept");
        return {};
    }

    bool has_operations_;
    bool has_feeds_;
    const api_options& options_;
};

}  // namespace bulk::http::api
