// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api/all_routes.hpp>
#include <bulk/http/api/answered.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/handlers.hpp>
#include <bulk/http/api/older_ids.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/conditions.hpp>
#include <bulk/http/dashboard/page.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/origin.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/http/target.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulk::http::api {

/// Finds the route of a request, checks everything that can be checked before its handler, and puts
/// around its answer what belongs around all of them.
class application final : public http::application {
public:
    application(std::unique_ptr<backend> to, api_options options)
        : to_{std::move(to)}, options_{std::move(options)} {
        if (!options_.access) options_.access = everybody();
    }

    [[nodiscard]] std::variant<body_rule, response> admit(const request_head& head) override {
        auto address = parse_target(head.target);
        if (!address)
            return finished(head, to_response(problem_of(std::move(address).error()), "/"));
        auto found = find(head, *address);
        if (auto* const already = std::get_if<response>(&found))
            return finished(head, std::move(*already));
        const auto& [place, captured, who] = std::get<place_found>(found);
        body_rule rule{.answered = answer_kind_of(*place), .principal = slots_of(who, head)};
        if (place->body == body_shape::json) {
            rule.kind = body_kind::whole;
            rule.most = most_json;
        } else if (place->body == body_shape::upload) {
            const auto most = to_->operations->options().max_file_size;
            rule.kind = body_kind::streamed;
            rule.most = most == 0 ? 0 : static_cast<std::uint64_t>(most) + most_form;
        }
        return rule;
    }

    [[nodiscard]] response answer(request& asked) override {
        const auto& head = asked.head;
        const auto address = parse_target(head.target);
        if (!address) return finished(head, to_response(problem_of(address.error()), "/"));
        auto found = find(head, *address);
        if (auto* const already = std::get_if<response>(&found))
            return finished(head, std::move(*already));
        auto& [on, captured, who] = std::get<place_found>(found);
        call made{*to_, *on, asked, *address, std::move(captured), std::move(who)};
        auto said = check_parameters(made);
        if (said) said = check_body(made);
        auto answered = said ? handler_of(on->id)(made) : reply{std::unexpected{said.error()}};
        // Whatever else was said of a read that was stopped, this is why.
        if (const auto why = read_scope::reached(); why && !answered)
            answered = std::unexpected{stopped(*on, *why)};
        if (!answered && !answered.error().fault.empty()) note_fault(*on, answered.error(), head);
        auto written =
            answered ? std::move(*answered) : written_problem(*on, answered.error(), head);
        if (on->needs == right::operate && options_.log)
            options_.log({made.who.name, std::string{on->id}, path_of(head), written.status});
        return finished(head, std::move(written));
    }

    [[nodiscard]] response refuse(int status, std::string_view why) override {
        problem made{kind_of(status), std::string{why}};
        if (status == 503) made.headers.add("Retry-After", "1");
        auto said = to_response(made, "");
        said.status = status;
        add_safety(said);
        return said;
    }

private:
    static constexpr std::uint64_t most_json = 1'048'576;
    static constexpr std::uint64_t most_form = 2 * 1'048'576;  ///< what a form has around its file

    struct place_found {
        const route* on = nullptr;
        captures captured{};
        principal who{};
    };

    [[nodiscard]] static bool has_guid(const captures& found) {
        return std::ranges::all_of(found, [](const auto& each) {
            return each.first != "id" || parse_guid(each.second).has_value();
        });
    }

    /// Among whom slots are shared: by name, or by address where nobody has one.
    [[nodiscard]] static std::string slots_of(const principal& who, const request_head& head) {
        return who.is_anonymous || who.name.empty() ? concat('@', head.peer)
                                                    : concat('=', who.name);
    }

    [[nodiscard]] static problem stopped(const route& on, const error& why) {
        problem made{problems::query_timeout, concat(why.message, "; ", how_to_narrow(on))};
        made.headers.add("Retry-After", "1");
        return made;
    }

    [[nodiscard]] static std::string path_of(const request_head& head) {
        return head.target.substr(0, head.target.find('?'));
    }

    [[nodiscard]] static response written_problem(const route& on, const problem& why,
                                                  const request_head& head) {
        if (on.topic != older) return to_response(why, path_of(head));
        return {.status = why.kind.status,
                .headers =
                    [&] {
                        auto headers = why.headers;
                        headers.set("Content-Type", "application/json");
                        return headers;
                    }(),
                .body = json_object{}.add("error", why.detail).json()};
    }

    /// Client and operator get the same id; only the operator gets the reason.
    void note_fault(const route& on, problem& why, const request_head& head) const {
        std::random_device random;
        const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
        const auto id = to_text(uuid{.high = word(), .low = word()});
        add_request_id(why, id);
        if (options_.log_fault)
            options_.log_fault({id, std::string{on.id}, path_of(head), why.fault});
    }

    /// Which route, and who asks; or the answer already.
    [[nodiscard]] std::variant<place_found, response> find(const request_head& head,
                                                           const target& address) {
        const auto refused = [&](const problem& why) { return to_response(why, path_of(head)); };
        if (auto host = check_host(head, options_.origins); !host) return refused(host.error());
        const method verb = head.verb == method::head ? method::get : head.verb;
        place_found found;
        std::string allowed;
        for (const auto& each : all_routes) {
            if (!is_served(each, to_->operations != nullptr, to_->feeds != nullptr)) continue;
            auto captured = match(each.path, address.path);
            if (!captured) continue;
            if (each.topic == older && !has_guid(*captured)) continue;  // `{id:guid}` there
            const std::string_view name = verb_name(each.verb);
            if (!allowed.contains(name)) allowed += concat(allowed.empty() ? "" : ", ", name);
            // The first that fits: what is named stands in front of what is captured.
            if (each.verb == verb && found.on == nullptr) {
                found.on = &each;
                found.captured = std::move(*captured);
            }
        }
        if (allowed.contains("GET")) allowed += ", HEAD";
        if (!allowed.empty()) allowed += ", OPTIONS";
        if (head.verb == method::options && (!allowed.empty() || head.target == "*"))
            return response{.status = 204, .headers = {{"Allow", allowed}}};
        if (found.on == nullptr && !allowed.empty()) return not_allowed(head, allowed);
        if (found.on == nullptr) {
            const auto* file =
                options_.has_dashboard ? dashboard::find(path_of(head), head) : nullptr;
            if (file != nullptr && verb == method::get) return dashboard::answer(*file, head);
            // The page is for reading; so is its place where no page is served.
            if (verb != method::get && (file != nullptr || path_of(head) == "/"))
                return not_allowed(head, "GET, HEAD");
        }
        if (found.on == nullptr)
            return refused({problems::not_found, concat("nothing is at ", path_of(head)), {}});
        if (found.on->needs == right::open) return found;
        auto who = options_.access(head);
        if (!who) return refused(who.error());
        found.who = std::move(*who);
        if (found.on->needs == right::files && !found.who.may_read_files)
            return refused(
                {problems::forbidden,
                 concat('\'', found.who.name, "' has no right to read uploaded files (`files`)"),
                 {}});
        if (found.on->needs == right::operate) {
            if (auto ours = check_origin(head, options_.origins); !ours)
                return refused(ours.error());
            if (!found.who.may_operate)
                return refused({problems::forbidden,
                                concat('\'', found.who.name, "' may look, but not act"),
                                {}});
        }
        if (auto fits = check_head(*found.on, head); !fits) return refused(fits.error());
        return found;
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

    [[nodiscard]] static or_problem<void> check_head(const route& on, const request_head& head) {
        const std::string_view type = head.headers.get("content-type");
        const auto bare = type.substr(0, type.find(';'));
        if (on.body == body_shape::json && !type.empty() && !same_name(bare, "application/json"))
            return http::refuse(
                problems::unsupported_media_type,
                concat("the body is application/json, and not ", type.substr(0, 64)),
                "Content-Type");
        // What a form of any page in the world can send is not taken for a file.
        // BulkSharp's uploads are forms and nothing else, which their handlers check.
        if (on.body == body_shape::upload && on.topic != older &&
            (same_name(bare, "text/plain") || same_name(bare, "application/x-www-form-urlencoded")))
            return http::refuse(problems::unsupported_media_type,
                                "send multipart/form-data, or the file itself as text/csv, "
                                "application/json or application/octet-stream",
                                "Content-Type");
        // What is there has weak tags only, which no condition of a change may rely on (RFC 9110 13.1.1).
        if (on.needs == right::operate && head.headers.has("if-match") &&
            head.headers.get("if-match") != "*")
            return http::refuse(problems::precondition_failed,
                                "whether it is what it was cannot be told: leave If-Match out",
                                "If-Match");
        if (on.verb == method::get && !on.gives.empty() && on.topic != older &&
            !accepts(head.headers, "application/json"))
            return http::refuse(problems::not_acceptable, "the answer is application/json",
                                "Accept");
        return {};
    }

    /// What nobody knows is refused: it was meant to do something.
    [[nodiscard]] static or_problem<void> check_parameters(const call& made) {
        if (made.on.topic == older) return {};  // their clients may rely on that
        std::vector<std::string_view> known;
        for (const auto& each : made.on.parameters)
            if (each.in == place::query) known.push_back(each.name);
        const auto& query = made.address.query;
        for (std::size_t i = 0; i < query.size(); ++i) {
            const auto& name = query[i].first;
            if (std::ranges::find(known, name) == known.end()) {
                const auto near = nearest_name(name, known);
                return http::refuse(
                    problems::invalid_argument,
                    concat("there is no parameter '", name.substr(0, 64), '\'',
                           near ? concat("; did you mean '", *near, "'?") : std::string{}),
                    name);
            }
            for (std::size_t j = 0; j < i; ++j)
                if (query[j].first == name)
                    return http::refuse(problems::invalid_argument, concat(name, " is given twice"),
                                        name);
        }
        return {};
    }

    [[nodiscard]] static or_problem<void> check_body(const call& made) {
        const bool is_untyped = made.headers().get("content-type").empty();
        if (made.on.body == body_shape::json && !made.asked.body.empty() && is_untyped)
            return http::refuse(problems::unsupported_media_type,
                                "say what the body is: Content-Type: application/json",
                                "Content-Type");
        return {};
    }

    [[nodiscard]] response finished(const request_head& head, response said) const {
        add_safety(said);
        add_cors(said, head, options_.origins);
        return said;
    }

    std::unique_ptr<backend> to_;
    api_options options_;
};

}  // namespace bulk::http::api
