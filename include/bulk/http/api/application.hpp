// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/read_limit.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api/answered.hpp>
#include <bulk/http/api/bulksharp/refusals.hpp>
#include <bulk/http/api/call.hpp>
#include <bulk/http/api/route.hpp>
#include <bulk/http/api/router.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/message.hpp>
#include <bulk/http/origin.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulk::http::api {

/// Calls the handler of an admitted request when its parameters and body fit the route, and puts around
/// every answer what belongs around all of them.
class application final : public http::application {
public:
    application(std::unique_ptr<backend> to, api_options options)
        : to_{std::move(to)},
          options_{with_access(std::move(options))},
          router_{to_->operations != nullptr, to_->feeds != nullptr, options_} {}

    [[nodiscard]] std::variant<std::unique_ptr<admitted_request>, response> admit(
        const request_head& head) override {
        auto said = router_.admit(head);
        if (auto* const already = std::get_if<response>(&said))
            return finished(head, std::move(*already));
        auto& known = std::get<admission>(said);
        auto rule = rule_of(known, head);
        return std::make_unique<routed_request>(*this, std::move(known), std::move(rule));
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

    [[nodiscard]] static api_options with_access(api_options options) {
        if (!options.access) options.access = everybody();
        return options;
    }

    /// What was found out about a request when it was admitted.
    class routed_request final : public admitted_request {
    public:
        routed_request(const application& by, admission known, body_rule rule)
            : admitted_request{std::move(rule)}, by_{by}, known_{std::move(known)} {}

        [[nodiscard]] response answer(request& asked) override { return by_.answer(known_, asked); }

    private:
        const application& by_;
        admission known_;
    };

    [[nodiscard]] body_rule rule_of(const admission& known, const request_head& head) const {
        body_rule rule{.answered = answer_kind_of(*known.on),
                       .principal = slots_of(known.who, head)};
        if (known.on->body == body_shape::json) {
            rule.kind = body_kind::whole;
            rule.most = most_json;
        } else if (known.on->body == body_shape::upload) {
            const auto most = to_->operations->options().max_file_size;
            rule.kind = body_kind::streamed;
            rule.most = most == 0 ? 0 : static_cast<std::uint64_t>(most) + most_form;
        }
        return rule;
    }

    [[nodiscard]] response answer(admission& known, request& asked) const {
        const auto& on = *known.on;
        const auto& head = asked.head;
        call made{*to_, on, asked, known.address, std::move(known.found), std::move(known.who)};
        auto said = check_parameters(made);
        if (said) said = check_body(made);
        auto answered = said ? on.answer(made) : reply{std::unexpected{said.error()}};
        // Whatever else was said of a read that was stopped, this is why.
        if (const auto why = read_scope::reached(); why && !answered)
            answered = std::unexpected{stopped(on, *why)};
        if (!answered && !answered.error().fault.empty()) note_fault(on, answered.error(), head);
        auto written =
            answered ? std::move(*answered) : written_problem(on, answered.error(), head);
        if (on.needs == right::operate && options_.log)
            options_.log({made.who.name, std::string{on.id}, path_of(head), written.status});
        return finished(head, std::move(written));
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

    [[nodiscard]] static response written_problem(const route& on, const problem& why,
                                                  const request_head& head) {
        return on.is_bulksharp() ? bulksharp::object_refusal(why) : to_response(why, path_of(head));
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

    /// What nobody knows is refused: it was meant to do something.
    [[nodiscard]] static or_problem<void> check_parameters(const call& made) {
        if (made.on.is_bulksharp()) return {};  // their clients may rely on that
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

    const std::unique_ptr<backend> to_;
    const api_options options_;
    const router router_;
};

}  // namespace bulk::http::api
