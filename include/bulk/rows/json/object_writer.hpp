// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/rows/json/writer.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace bulk::json {

/// How values look to whoever reads the document: browsers, or programs on the command line. A style may
/// also have `omits_none` (members without a value are left out instead of null), `member_name(name)` and
/// `choice(enumerator)`, which spell names in another way than they are declared.
template <typename S>
concept writer_style = requires(timestamp moment) {
    { S::quotes_wide_numbers } -> std::convertible_to<bool>;  ///< of 64 bits: browsers round them
    { S::decimals } -> std::convertible_to<int>;
    { S::moment(moment) } -> std::convertible_to<std::string>;
};

template <writer_style Style, typename T>
void write_styled(std::string& out, const T& value);

/// Whether a document of this style leaves out members without a value.
template <writer_style Style>
inline constexpr bool omits_none = [] {
    if constexpr (requires { Style::omits_none; })
        return Style::omits_none;
    else
        return false;
}();

/// A member of a struct as a document of this style names it.
template <writer_style Style>
[[nodiscard]] auto member_name(std::string_view declared) {
    if constexpr (requires { Style::member_name(declared); })
        return Style::member_name(declared);
    else
        return declared;
}

/// An enumerator as a document of this style names it.
template <writer_style Style, described_enum E>
[[nodiscard]] auto choice_name(E value) {
    if constexpr (requires { Style::choice(value); })
        return Style::choice(value);
    else
        return name_of(value);
}

/// What is written as an array.
template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;

namespace detail {

/// NaN and infinities are null, which no number is.
inline void write_fixed(std::string& out, double value, int decimals) {
    char digits[64];
    const auto [end, status] =
        std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, decimals);
    if (status == std::errc{} && std::isfinite(value))
        out.append(digits, end);
    else
        out += "null";
}

template <writer_style Style, typename T>
void write_members(std::string& out, const T& value) {
    char separator = '{';
    for_each_described<T>([&](std::string_view name, auto pointer) {
        if constexpr (omits_none<Style> && is_optional<std::decay_t<decltype(value.*pointer)>>)
            if (!(value.*pointer)) return;
        out += separator;
        write_string(out, member_name<Style>(name));
        out += ':';
        write_styled<Style>(out, value.*pointer);
        separator = ',';
    });
    out += separator == '{' ? "{}" : "}";
}

}  // namespace detail

/// Appends a value: a number, an enumerator by its name, a moment, a text to be shown, none as null, a list,
/// an object that was written before, or a described struct, member by member.
template <writer_style Style, typename T>
void write_styled(std::string& out, const T& value) {
    if constexpr (is_optional<T>) {
        if (value)
            write_styled<Style>(out, *value);
        else
            out += "null";
    } else if constexpr (std::same_as<T, bool>) {
        out += value ? "true" : "false";
    } else if constexpr (std::integral<T>) {
        constexpr bool is_quoted = Style::quotes_wide_numbers && sizeof(T) == 8;
        if (is_quoted) out += '"';
        out += std::to_string(value);
        if (is_quoted) out += '"';
    } else if constexpr (std::same_as<T, double>) {
        detail::write_fixed(out, value, Style::decimals);
    } else if constexpr (std::same_as<T, timestamp>) {
        write_string(out, Style::moment(value));
    } else if constexpr (described_enum<T>) {
        write_string(out, choice_name<Style>(value));
    } else if constexpr (is_list<T>) {
        out += '[';
        for (bool is_first = true; const auto& each : value) {
            if (!is_first) out += ',';
            is_first = false;
            write_styled<Style>(out, each);
        }
        out += ']';
    } else if constexpr (requires { value.json(); }) {
        out += value.json();
    } else if constexpr (described_struct<T>) {
        detail::write_members<Style>(out, value);
    } else if constexpr (std::convertible_to<T, std::string_view>) {
        write_shown_string(out, value);
    } else {
        write_string(out, to_text(value));  // ids
    }
}

/// A list, value by value.
template <writer_style Style>
class array_writer {
public:
    template <typename T>
    array_writer& add(const T& value) {
        if (text_.size() > 1) text_ += ',';
        write_styled<Style>(text_, value);
        return *this;
    }
    [[nodiscard]] std::string json() const { return text_ + ']'; }

private:
    std::string text_{'['};
};

/// An object, member by member.
template <writer_style Style>
class object_writer {
public:
    template <typename T>
    object_writer& add(std::string_view name, const T& value) {
        key(name);
        write_styled<Style>(text_, value);
        return *this;
    }
    /// What is JSON already; empty is null.
    object_writer& add_raw(std::string_view name, std::string_view value) {
        key(name);
        text_ += value.empty() ? "null" : value;
        return *this;
    }
    [[nodiscard]] std::string json() const { return text_ + '}'; }

private:
    void key(std::string_view name) {
        if (text_.size() > 1) text_ += ',';
        write_string(text_, name);
        text_ += ':';
    }

    std::string text_{'{'};
};

}  // namespace bulk::json
