// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/api/body_schema.hpp>
#include <bulk/http/api/bulksharp/schemas.hpp>
#include <bulk/http/api/schema.hpp>
#include <bulk/http/api/schemas.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/rows/json/object_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http::api {

/// The JSON schema of a type of a member: see schema.hpp.
[[nodiscard]] inline std::string type_schema(std::string_view type) {
    if (type.ends_with('!')) type.remove_suffix(1);
    if (type.ends_with('?')) {
        type.remove_suffix(1);
        return concat(R"({"anyOf":[)", type_schema(type), R"(,{"type":"null"}]})");
    }
    if (type.starts_with('['))
        return concat(R"({"type":"array","items":)", type_schema(type.substr(1, type.size() - 2)),
                      '}');
    if (const auto bar = type.find('|'); bar != std::string_view::npos)
        return concat(R"({"anyOf":[)", type_schema(type.substr(0, bar)), ',',
                      type_schema(type.substr(bar + 1)), "]}");
    if (type == "int") return R"({"type":"integer","format":"int32"})";
    if (type == "long") return R"({"type":"integer","format":"int64"})";
    if (type == "double") return R"({"type":"number","format":"double"})";
    if (type == "bytes") return R"({"type":"string","format":"byte"})";
    if (type == "text") return R"({"type":"string"})";
    if (type == "whole") return R"({"type":"integer"})";
    if (type == "page_size") return R"({"type":"integer","minimum":1,"maximum":1000})";
    if (type == "count") return R"({"type":"string","pattern":"^(0|[1-9][0-9]*)$"})";
    if (type == "natural") return R"({"type":"string","pattern":"^[0-9]{1,19}$"})";
    if (type == "day") return R"({"type":"string","format":"date"})";
    if (type == "number") return R"({"type":"number"})";
    if (type == "truth") return R"({"type":"boolean"})";
    if (type == "moment") return R"({"type":"string","format":"date-time"})";
    if (type == "uuid") return R"({"type":"string","format":"uuid"})";
    if (type == "object") return R"({"type":"object"})";
    if (type == "anything") return "{}";
    return concat(R"({"$ref":"#/components/schemas/)", type, "\"}");
}

/// Calls `visit(name, type)` for each member of a schema.
template <typename Visit>
constexpr void for_each_member(std::string_view members, Visit visit) {
    while (!members.empty()) {
        const auto end = members.find(", ");
        const auto each = members.substr(0, end);
        members = end == std::string_view::npos ? std::string_view{} : members.substr(end + 2);
        const auto colon = each.find(':');
        visit(each.substr(0, colon), each.substr(colon + 1));
    }
}

namespace detail {

[[nodiscard]] inline std::string object_schema(const schema& of) {
    const bool is_request = of.name.ends_with("_request") || of.name == "nothing";
    json_object properties;
    json_array required;
    bool has_required = false;
    for_each_member(of.members, [&](std::string_view name, std::string_view type) {
        const bool is_rare = name.ends_with('?');
        if (is_rare) name.remove_suffix(1);
        const bool is_optional = is_request && !type.ends_with('!');  // null is as good as nothing
        const bool takes_null = is_optional && !type.ends_with('?') && type != "anything";
        std::string taken = takes_null ? concat(type, '?') : std::string{type};
        if (const auto at = taken.find("count"); is_request && at != std::string::npos)
            taken.replace(at, 5, "natural");  // zeros in front do no harm
        properties.add_raw(name, type_schema(taken));
        if (is_rare || is_optional) return;
        required.add(name);
        has_required = true;
    });
    json_object shape;
    shape.add("type", "object").add("description", of.about).add("properties", properties);
    if (has_required) shape.add("required", required);
    if (is_request) shape.add("additionalProperties", false);
    return shape.json();
}

/// The text of each schema by its name.
using schema_list = std::vector<std::pair<std::string_view, std::string>>;

template <dialect Dialect>
void add_enums(schema_list& to) {
    Dialect::enumerations.for_each([&]<typename E>(const enum_schema<E>& of) {
        std::vector<std::string> names;
        if (!of.none.empty()) names.emplace_back(of.none);
        for (const auto& each : enumerators_of<E>)
            if (std::string name{json::choice_name<typename Dialect::style>(each.value)};
                std::ranges::find(names, name) ==
                names.end())  // BulkSharp has one name for two of ours
                names.push_back(std::move(name));
        to.emplace_back(of.name, json_object{}.add("type", "string").add("enum", names).json());
    });
}

[[nodiscard]] inline schema_list all_schemas() {
    schema_list all;
    add_enums<bulksharp::bulksharp_dialect>(all);
    add_enums<api_dialect>(all);
    for (const auto& each : schemas()) all.emplace_back(each.name, object_schema(each));
    for (const auto& each : bulksharp::schemas()) all.emplace_back(each.name, object_schema(each));
    return all;
}

}  // namespace detail

/// Those that a text speaks of, and those that they speak of.
[[nodiscard]] inline json_object schemas_of(std::string text) {
    const auto all = detail::all_schemas();
    std::vector<bool> is_used(all.size());
    for (bool is_news = true; is_news;) {
        is_news = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (is_used[i] || !text.contains(type_schema(all[i].first))) continue;
            is_used[i] = is_news = true;
            text += all[i].second;
        }
    }
    json_object used;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_used[i]) used.add_raw(all[i].first, all[i].second);
    return used;
}

}  // namespace bulk::http::api
