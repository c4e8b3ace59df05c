// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/rows/json/writer.hpp>
#include <bulk/rows/to_text.hpp>

#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bulk::http {

/// Appends a text as a JSON string. Bytes that are no UTF-8 would make the whole answer unreadable:
/// each becomes U+FFFD.
inline void write_json_text(std::string& out, std::string_view text) {
    json::write_shown_string(out, text);
}

/// Numbers of 64 bits are strings of digits: a browser would round them. Smaller ones stand bare.
template <typename T>
void write_json(std::string& out, const T& value) {
    if constexpr (std::same_as<T, bool>) {
        out += value ? "true" : "false";
    } else if constexpr (std::integral<T>) {
        if (sizeof(T) == 8) out += '"';
        out += std::to_string(value);
        if (sizeof(T) == 8) out += '"';
    } else if constexpr (std::same_as<T, double>) {
        char digits[64];
        const auto [end, status] =
            std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3);
        if (status == std::errc{} && std::isfinite(value))
            out.append(digits, end);
        else
            out += "null";
    } else if constexpr (std::same_as<T, timestamp>) {
        json::write_string(out, to_text(value));
    } else if constexpr (described_enum<T>) {
        json::write_string(out, name_of(value));
    } else if constexpr (requires { value.json(); }) {
        out += value.json();
    } else {
        write_json_text(out, value);
    }
}

template <typename T>
void write_json(std::string& out, const std::optional<T>& value) {
    if (value)
        write_json(out, *value);
    else
        out += "null";
}

class json_array {
public:
    template <typename T>
    json_array& add(const T& value) {
        if (text_.size() > 1) text_ += ',';
        write_json(text_, value);
        return *this;
    }
    [[nodiscard]] std::string json() const { return text_ + ']'; }

private:
    std::string text_{'['};
};

/// `[shape(each), ...]`
template <typename Range, typename Shape>
[[nodiscard]] json_array json_list(const Range& all, Shape shape) {
    json_array list;
    for (const auto& each : all) list.add(shape(each));
    return list;
}

class json_object {
public:
    template <typename T>
    json_object& add(std::string_view name, const T& value) {
        key(name);
        write_json(text_, value);
        return *this;
    }
    /// An empty text says that there is none.
    json_object& add_text(std::string_view name, std::string_view text) {
        if (text.empty()) return add_raw(name, "null");
        return add(name, text);
    }
    /// What is JSON already; empty is null.
    json_object& add_raw(std::string_view name, std::string_view value) {
        key(name);
        text_ += value.empty() ? "null" : value;
        return *this;
    }
    [[nodiscard]] std::string json() const { return text_ + '}'; }

private:
    void key(std::string_view name) {
        if (text_.size() > 1) text_ += ',';
        json::write_string(text_, name);
        text_ += ':';
    }

    std::string text_{'{'};
};

}  // namespace bulk::http
