// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>

#include <glaze/json/read.hpp>
#include <glaze/json/write.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk::json {

/// A column that holds more than one value: an object, an array, anything that Glaze reads, such as
/// a struct, a vector or a map. In JSON it is the value of its key; in a CSV file the cell holds the
/// JSON text. Unknown keys are ignored.
template <typename T>
struct value {
    using is_json = void;
    T it{};

    [[nodiscard]] const T& operator*() const { return it; }
    [[nodiscard]] T& operator*() { return it; }
    [[nodiscard]] const T* operator->() const { return &it; }
    [[nodiscard]] T* operator->() { return &it; }

    bool operator==(const value&) const = default;
};

template <typename T>
[[nodiscard]] result<value<T>> from_text(std::type_identity<value<T>>, std::string_view text) {
    struct options : glz::opts {
        bool validate_skipped = true;
    };
    constexpr options lenient{{.null_terminated = false, .error_on_unknown_keys = false}, true};
    value<T> read;
    glz::context context;
    if (const auto failed = glz::read<lenient>(read.it, text, context))
        return fail(errc::invalid_row, concat("it is not the JSON that the column takes: ",
                                              glz::format_error(failed.ec)));
    return read;
}

template <typename T>
[[nodiscard]] std::string to_text(const value<T>& value) {
    std::string text;
    if (glz::write_json(value.it, text)) return "null";
    return text;
}

template <typename T>
[[nodiscard]] constexpr std::string_view column_type_name(std::type_identity<value<T>>) {
    return "json";
}

}  // namespace bulk::json
