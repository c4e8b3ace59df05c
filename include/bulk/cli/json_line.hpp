// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/cli/readable.hpp>
#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/rows/json/writer.hpp>

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::cli {

/// One JSON object on one line. Names are what programs rely on: they never change their meaning.
/// Bytes of texts that are not UTF-8, as file names may have, become U+FFFD: JSON is UTF-8.
class json_line {
public:
    json_line& add(std::string_view name, std::string_view text) {
        key(name);
        json::write_shown_string(text_, text);
        return *this;
    }
    json_line& add(std::string_view name, const char* text) {
        return add(name, std::string_view{text});
    }
    json_line& add(std::string_view name, std::same_as<bool> auto value) {
        return add_raw(name, value ? "true" : "false");
    }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    json_line& add(std::string_view name, Number number) {
        return add_raw(name, std::to_string(number));
    }
    /// With one digit behind the point: shares and rates.
    json_line& add(std::string_view name, double number) {
        char text[64];
        const auto [end, status] =
            std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, 1);
        return add_raw(name, status == std::errc{} ? std::string_view{text, end} : "0.0");
    }
    json_line& add(std::string_view name, timestamp moment) { return add(name, iso_text(moment)); }
    template <described_enum E>
    json_line& add(std::string_view name, E value) {
        return add(name, name_of(value));
    }
    template <typename T>
    json_line& add(std::string_view name, const std::optional<T>& value) {
        return value ? add(name, *value) : add_raw(name, "null");
    }
    json_line& add(std::string_view name, const json_line& object) {
        return add_raw(name, object.text());
    }
    json_line& add(std::string_view name, const std::vector<json_line>& objects) {
        std::string list{'['};
        for (const auto& each : objects) list += (list.size() > 1 ? "," : "") + each.text();
        return add_raw(name, list + ']');
    }
    json_line& add(std::string_view name, const std::vector<std::string>& texts) {
        std::string list{'['};
        for (const auto& each : texts) {
            if (list.size() > 1) list += ',';
            json::write_shown_string(list, each);
        }
        return add_raw(name, list + ']');
    }
    /// What is JSON already.
    json_line& add_raw(std::string_view name, std::string_view value) {
        key(name);
        text_ += value;
        return *this;
    }

    [[nodiscard]] std::string text() const { return text_ + '}'; }

private:
    void key(std::string_view name) {
        if (text_.size() > 1) text_ += ',';
        json::write_string(text_, name);
        text_ += ':';
    }

    std::string text_{'{'};
};

}  // namespace bulk::cli
