// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/names.hpp>
#include <bulk/core/recipient.hpp>
#include <bulk/http/api/recipients.hpp>
#include <bulk/http/json_body.hpp>
#include <bulk/http/problem.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace bulk::http::api::bulksharp {

/// `{"recipients": [{"channel": "mail", "target": "…", "triggers": 2}]}`, in either case, as BulkSharp
/// has it; triggers are its bits, which are ours.
[[nodiscard]] inline or_problem<std::vector<recipient>> read_recipients(std::string_view text) {
    std::vector<recipient> all;
    if (is_blank(text)) return all;
    const auto wrong = [] { return refuse(problems::invalid_argument, "notifications"); };
    const auto whole = json_body::read_loosely(text, {"recipients"});
    if (!whole) return wrong();
    const auto list = whole->raw("recipients");
    if (!list) return all;
    const auto objects = objects_of(list->text);
    if (!objects || list->is_string || objects->size() > 100) return wrong();
    for (const auto each : *objects) {
        const auto body = json_body::read_loosely(each, {"channel", "target", "triggers"});
        if (!body) return wrong();
        const auto channel = body->text("channel");
        const auto target = body->text("target");
        const auto triggers = body->number<std::uint32_t>("triggers");
        if (!channel || !*channel || !target || !triggers || triggers->value_or(0) > 31)
            return wrong();
        all.push_back({.channel = **channel,
                       .target = target->value_or(""),
                       .when = *triggers ? static_cast<trigger>(**triggers) : trigger::on_failure});
    }
    return all;
}

}  // namespace bulk::http::api::bulksharp
