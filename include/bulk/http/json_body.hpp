// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/names.hpp>
#include <bulk/http/problem.hpp>
#include <bulk/http/read_value.hpp>
#include <bulk/rows/json/object.hpp>
#include <bulk/rows/utf8.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulk::http {

/// The JSON object of a request: strict, so that a member that is misspelt is not passed over in
/// silence. No body at all is an object without members.
class json_body {
    using member = std::pair<std::string, json::member_value>;

public:
    [[nodiscard]] static or_problem<json_body> read(std::string_view text,
                                                    std::initializer_list<std::string_view> known) {
        auto members = members_of(text);
        if (!members) return std::unexpected{std::move(members).error()};
        json_body body{std::move(*members)};
        for (std::size_t i = 0; i < body.members_.size(); ++i) {
            const auto& name = body.members_[i].first;
            if (std::ranges::find(known, name) == known.end())
                return refuse(problems::invalid_argument, unknown(name, known), name);
            for (std::size_t j = 0; j < i; ++j)
                if (body.members_[j].first == name)
                    return refuse(problems::invalid_argument, concat(name, " is given twice"),
                                  name);
        }
        return body;
    }

    /// As .NET reads it: names in any case, others passed over, the last of twins.
    [[nodiscard]] static or_problem<json_body> read_loosely(
        std::string_view text, std::initializer_list<std::string_view> known) {
        auto members = members_of(text);
        if (!members) return std::unexpected{std::move(members).error()};
        std::vector<member> taken;
        for (const auto name : known)
            for (auto& [given, value] : std::views::reverse(*members))
                if (same_name(given, name)) {
                    taken.emplace_back(std::string{name}, std::move(value));
                    break;
                }
        return json_body{std::move(taken)};
    }

    /// Not given, or null: none.
    [[nodiscard]] or_problem<std::optional<std::string>> text(std::string_view name) const {
        const auto* given = find(name);
        if (given == nullptr) return std::nullopt;
        if (!given->is_string) return wrong(name, "a text");
        return given->text;
    }
    /// Bare, or a string of digits: those that JavaScript cannot hold come like that.
    template <std::integral Number>
    [[nodiscard]] or_problem<std::optional<Number>> number(std::string_view name) const {
        const auto* given = find(name);
        if (given == nullptr) return std::nullopt;
        auto read = read_number<Number>(given->text, name);
        if (!read) return std::unexpected{std::move(read).error()};
        return *read;
    }
    [[nodiscard]] or_problem<bool> truth(std::string_view name) const {
        const auto* given = find(name);
        if (given == nullptr) return false;
        if (given->is_string || (given->text != "true" && given->text != "false"))
            return wrong(name, "true or false");
        return given->text == "true";
    }
    template <std::integral Number>
    [[nodiscard]] or_problem<std::optional<std::vector<Number>>> numbers(
        std::string_view name) const {
        const auto* given = find(name);
        if (given == nullptr) return std::nullopt;
        const std::string_view list = given->text;
        if (given->is_string || !list.starts_with('[')) return wrong(name, "a list of numbers");
        // It is JSON, so what stands between brackets and commas are values; strings of digits have
        // neither in them.
        std::vector<Number> all;
        std::string_view rest = list.substr(1, list.size() - 2);
        while (!is_blank(rest)) {
            const auto end = std::min(rest.find(','), rest.size());
            std::string_view item = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const auto first = item.find_first_not_of(" \t\r\n"),
                       last = item.find_last_not_of(" \t\r\n");
            item = first == std::string_view::npos ? "" : item.substr(first, last - first + 1);
            if (item.size() >= 2 && item.front() == '"' && item.back() == '"')
                item = item.substr(1, item.size() - 2);
            auto read = read_number<Number>(item, name);
            if (!read) return std::unexpected{std::move(read).error()};
            all.push_back(*read);
        }
        return all;
    }
    /// Whatever it is, as it stands there.
    [[nodiscard]] std::optional<json::member_value> raw(std::string_view name) const {
        const auto* given = find(name);
        if (given == nullptr) return std::nullopt;
        return *given;
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::any_of(members_, [&](const auto& each) { return each.first == name; });
    }

private:
    explicit json_body(std::vector<member> members) : members_{std::move(members)} {}

    [[nodiscard]] static or_problem<std::vector<member>> members_of(std::string_view text) {
        if (!is_valid_utf8(text)) return refuse(problems::invalid_argument, "the body is no UTF-8");
        auto members = json::read_members(is_blank(text) ? "{}" : text);
        if (!members)
            return refuse(problems::invalid_argument,
                          concat("the body is not a JSON object: ", members.error().message));
        return std::move(*members);
    }

    [[nodiscard]] const json::member_value* find(std::string_view name) const {
        for (const auto& [known, value] : members_)
            if (known == name) return !value.is_string && value.text == "null" ? nullptr : &value;
        return nullptr;
    }

    [[nodiscard]] static std::unexpected<problem> wrong(std::string_view name,
                                                        std::string_view takes) {
        return refuse(problems::invalid_argument, concat(name, " takes ", takes),
                      std::string{name});
    }

    [[nodiscard]] static std::string unknown(std::string_view name,
                                             std::initializer_list<std::string_view> known) {
        if (known.size() == 0) return concat("there is no member '", name, "': none is taken");
        const auto near = nearest_name(name, std::span{known.begin(), known.size()});
        return concat("there is no member '", name, '\'',
                      near ? concat("; did you mean '", *near, "'?") : std::string{});
    }

    std::vector<member> members_;
};

}  // namespace bulk::http
