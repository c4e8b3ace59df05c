// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/rows/json/standalone.hpp>
#include <bulk/rows/json/values.hpp>

#include <glaze/json/generic_fwd.hpp>
#include <glaze/json/read.hpp>
#include <glaze/json/write.hpp>

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bulk::json {

/// A type that takes any JSON, numbers as doubles or 64-bit integers: `glz::generic` and its kin, and
/// containers of them.
template <typename T>
inline constexpr bool holds_any_json = false;
template <glz::num_mode Mode, template <typename> typename Map>
inline constexpr bool holds_any_json<glz::generic_json<Mode, Map>> = true;
template <typename T, typename Allocator>
inline constexpr bool holds_any_json<std::vector<T, Allocator>> = holds_any_json<T>;
template <typename T, typename Compare, typename Allocator>
inline constexpr bool holds_any_json<std::map<std::string, T, Compare, Allocator>> =
    holds_any_json<T>;

/// A type that takes any JSON as the text that it is.
template <typename T>
inline constexpr bool holds_raw_json = false;
template <typename Text>
inline constexpr bool holds_raw_json<glz::basic_raw_json<Text>> = true;

/// A column that holds more than one value: an object, an array, anything that Glaze reads, such as
/// a struct, a vector or a map. In JSON it is the value of its key; in a CSV file the cell holds the
/// JSON text. Unknown keys are ignored.
///
/// A `T` that takes any JSON has fewer digits than JSON may have. So its text is kept, and written as
/// it was read, until somebody asks for the value in order to change it.
template <typename T>
class value {
public:
    using is_json = void;

    value() = default;
    value(T it) : it_{std::move(it)} {}
    /// With the text that it was read from.
    value(T it, std::string source) : it_{std::move(it)}, source_{std::move(source)} {}

    [[nodiscard]] const T& operator*() const { return it_; }
    [[nodiscard]] T& operator*() { return change(); }
    [[nodiscard]] const T* operator->() const { return &it_; }
    [[nodiscard]] T* operator->() { return &change(); }

    /// The text that is written instead of the value; empty when there is none.
    [[nodiscard]] std::string_view source() const { return source_; }

    [[nodiscard]] bool operator==(const value& other) const
        requires std::equality_comparable<T>
    {
        return it_ == other.it_;
    }

private:
    [[nodiscard]] T& change() {
        source_.clear();
        return it_;
    }

    T it_{};
    std::string source_;
};

template <typename T>
[[nodiscard]] result<value<T>> from_text(std::type_identity<value<T>>, std::string_view text) {
    text = trimmed(text);
    // Glaze neither looks behind the value nor holds all rules of JSON where it skips.
    if (const auto wrong = check_standalone(text, glaze_depth); wrong != syntax::fine)
        return fail(errc::invalid_row, concat("it is not JSON: ", describe(wrong)));
    T read{};
    if constexpr (holds_raw_json<T>) {
        if constexpr (std::same_as<T, glz::raw_json>)
            read.str = on_one_line(text);
        else
            read.str = text;
        return value<T>{std::move(read)};
    } else {
        struct options : glz::opts {
            bool validate_skipped = true;
        };
        constexpr options lenient{{.null_terminated = false, .error_on_unknown_keys = false}, true};
        glz::context context;
        if (const auto failed = glz::read<lenient>(read, text, context)) {
            if constexpr (holds_any_json<T>)  // it is JSON, so nothing else can be wrong
                return fail(errc::invalid_row,
                            "it holds a number that does not fit a double; a column of "
                            "json::value<glz::raw_json> takes it");
            else
                return fail(errc::invalid_row, concat("it is not the JSON that the column takes: ",
                                                      glz::format_error(failed.ec)));
        }
        if constexpr (holds_any_json<T>)
            return value<T>{std::move(read), on_one_line(text)};
        else
            return value<T>{std::move(read)};
    }
}

/// As one line of JSON. What is not JSON, such as a `glz::raw_json` without text, is null.
template <typename T>
[[nodiscard]] std::string to_text(const value<T>& value) {
    if (!value.source().empty()) return std::string{value.source()};
    struct options : glz::opts {
        bool escape_control_characters = true;
    };
    std::string text;
    if (glz::write<options{}>(*value, text)) return "null";
    if (!is_standalone(text)) return "null";
    return on_one_line(text);
}

template <typename T>
[[nodiscard]] constexpr std::string_view column_type_name(std::type_identity<value<T>>) {
    return "json";
}

}  // namespace bulk::json
