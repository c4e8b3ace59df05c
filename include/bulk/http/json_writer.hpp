// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/rows/json/object_writer.hpp>
#include <bulk/rows/to_text.hpp>

#include <string>

namespace bulk::http {

/// Numbers of 64 bits are strings of digits: a browser would round them. Smaller ones stand bare.
struct api_style {
    static constexpr bool quotes_wide_numbers = true;
    static constexpr int decimals = 3;
    [[nodiscard]] static std::string moment(timestamp value) { return to_text(value); }
};

using json_object = json::object_writer<api_style>;
using json_array = json::array_writer<api_style>;

/// A whole document.
template <json::writer_style Style = api_style, typename T>
[[nodiscard]] std::string json_of(const T& value) {
    std::string text;
    json::write_styled<Style>(text, value);
    return text;
}

}  // namespace bulk::http
