// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

namespace detail {

inline constexpr std::array<std::pair<std::string_view, trigger>, 7> trigger_names{{
    {"on_completion", trigger::on_completion},
    {"on_failure", trigger::on_failure},
    {"on_completion_with_errors", trigger::on_completion_with_errors},
    {"on_cancelled", trigger::on_cancelled},
    {"on_status_change", trigger::on_status_change},
    {"on_end", trigger::on_end},
    {"all", trigger::all},
}};

}  // namespace detail

/// The objects of a list of objects, each as it stands there; none when it is no such list.
[[nodiscard]] inline std::optional<std::vector<std::string_view>> objects_of(
    std::string_view list) {
    std::vector<std::string_view> all;
    std::size_t depth = 0, begin = 0;
    bool in_text = false;
    for (std::size_t i = 1; i + 1 < list.size(); ++i) {
        const char c = list[i];
        if (in_text) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_text = false;
            continue;
        }
        if (depth == 0 && !std::string_view{"{, \t\r\n"}.contains(c)) return std::nullopt;
        if (c == '"') in_text = true;
        if (c == '{' && depth++ == 0) begin = i;
        if (c == '}' && --depth == 0) all.push_back(list.substr(begin, i + 1 - begin));
    }
    return all;
}

/// `[{"channel": "mail", "target": "ops@example.org", "when": "on_failure"}]`
[[nodiscard]] inline or_problem<std::vector<recipient>> read_recipients(std::string_view text) {
    std::vector<recipient> all;
    if (is_blank(text)) return all;
    const auto wrong = [](std::string_view why) {
        return refuse(problems::invalid_argument,
                      concat("recipients takes a list of {channel, target, when}: ", why),
                      "recipients");
    };
    // In an object of its own it is checked as JSON, and taken out again.
    const auto wrapped = json_body::read(concat("{\"recipients\":", text, '}'), {"recipients"});
    if (!wrapped) return wrong(wrapped.error().detail);
    const auto list = wrapped->raw("recipients");
    if (!list || list->is_string || !list->text.starts_with('[')) return wrong("it is no list");
    const auto objects = objects_of(list->text);
    if (!objects || objects->size() > 100)
        return wrong("it holds something else, or more than 100");
    for (const auto each : *objects) {
        const auto body = json_body::read(each, {"channel", "target", "when"});
        if (!body) return wrong(body.error().detail);
        const auto channel = body->text("channel"), target = body->text("target"),
                   when = body->text("when");
        if (!channel || !*channel || (*channel)->empty()) return wrong("a channel is missing");
        if (!target || !when) return wrong("target and when are texts");
        recipient added{.channel = **channel, .target = target->value_or("")};
        if (*when) {
            const auto* found = std::ranges::find_if(
                detail::trigger_names, [&](const auto& known) { return known.first == **when; });
            if (found == detail::trigger_names.end())
                return wrong(concat("there is no '", **when, '\''));
            added.when = found->second;
        }
        all.push_back(std::move(added));
    }
    return all;
}

}  // namespace bulk::http::api
