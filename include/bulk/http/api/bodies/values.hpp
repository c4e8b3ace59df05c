// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bulk::http::api::bodies {

// The JSON objects of responses: a described struct each. Responses and the schemas of the OpenAPI document
// are written from the same members, in this order: see `json_schema`.

/// What the OpenAPI document calls an object, and says of it. A static member `schema` of each struct.
struct schema_text {
    std::string_view name{};
    std::string_view about{};
};

/// An object that is JSON already.
struct object_text {
    static constexpr std::string_view schema_word = "object";
    std::string text{};
    [[nodiscard]] const std::string& json() const { return text; }
};

/// Any JSON; empty is null.
struct any_text {
    static constexpr std::string_view schema_word = "anything";
    std::string text{};
    [[nodiscard]] std::string_view json() const {
        return text.empty() ? std::string_view{"null"} : text;
    }
};

/// Texts that are kept as empty when there is none.
[[nodiscard]] inline std::optional<std::string> given(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional<std::string>{text};
}
[[nodiscard]] inline std::optional<object_text> given_object(std::string_view json) {
    return json.empty() ? std::nullopt : std::optional{object_text{std::string{json}}};
}

}  // namespace bulk::http::api::bodies
