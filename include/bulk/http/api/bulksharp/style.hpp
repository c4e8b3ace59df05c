// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/bulksharp_names.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/http/json_writer.hpp>
#include <bulk/http/problem.hpp>

#include <string>
#include <string_view>

namespace bulk::http::api::bulksharp {

/// How BulkSharp's documents look: numbers stand bare, members are camelCase, enumerators PascalCase, and a
/// member whose type can be null is left out when it is.
struct style {
    static constexpr bool quotes_wide_numbers = false;
    static constexpr int decimals = api_style::decimals;
    static constexpr bool omits_none = true;
    [[nodiscard]] static std::string moment(timestamp value) { return api_style::moment(value); }
    [[nodiscard]] static std::string member_name(std::string_view name) {
        std::string text = pascal_case(name);
        text.front() = lower_case(text.front());
        return text;
    }
    template <described_enum E>
    [[nodiscard]] static std::string choice(E value) {
        return bulksharp_name(value);
    }
};

/// The same with PascalCase members, as its dashboard stores notification options.
struct stored_style : style {
    [[nodiscard]] static std::string member_name(std::string_view name) {
        return pascal_case(name);
    }
};

/// 200 with one of `bodies`, or a list of them.
template <typename Body>
[[nodiscard]] response answer(const Body& body) {
    return json_response(200, json_of<style>(body));
}

}  // namespace bulk::http::api::bulksharp
