// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/number_text.hpp>
#include <bulk/rows/time_text.hpp>

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk {

// from_text(std::type_identity<T>, text) -> result<T> is the customization point: overload it in
// your type's own namespace to let the type be a column. `std::type_identity` carries the wanted
// type, so argument-dependent lookup finds the overload.

template <whole_number T>
[[nodiscard]] result<T> from_text(std::type_identity<T>, std::string_view text) {
    T value{};
    switch (read_number(text, value)) {
        case number_error::none:
            return value;
        case number_error::out_of_range:
            return fail(errc::invalid_row, concat("it is out of range: it must be from ",
                                                  std::numeric_limits<T>::min(), " to ",
                                                  std::numeric_limits<T>::max()));
        default:
            return fail(errc::invalid_row, "it is not a whole number");
    }
}

/// Infinities and NaN are refused: in a file they are the trace of somebody else's error.
template <std::floating_point T>
[[nodiscard]] result<T> from_text(std::type_identity<T>, std::string_view text) {
    T value{};
    switch (read_number(text, value)) {
        case number_error::none:
            return value;
        case number_error::out_of_range:
            return fail(errc::invalid_row, "it is out of range");
        default:
            return fail(errc::invalid_row, "it is not a number");
    }
}

[[nodiscard]] inline result<bool> from_text(std::type_identity<bool>, std::string_view text) {
    if (same_name(text, "true") || text == "1") return true;
    if (same_name(text, "false") || text == "0") return false;
    return fail(errc::invalid_row, "it is none of true, false, 1, 0");
}

[[nodiscard]] inline result<std::string> from_text(std::type_identity<std::string>,
                                                   std::string_view text) {
    return std::string{text};
}

/// Copies nothing: the view lives as long as the text that it was read from.
[[nodiscard]] inline result<std::string_view> from_text(std::type_identity<std::string_view>,
                                                        std::string_view text) {
    return text;
}

/// By the enumerator's name: the exact one, else in any case.
template <described_enum E>
[[nodiscard]] result<E> from_text(std::type_identity<E>, std::string_view text) {
    if (const auto exact = from_name<E>(text)) return *exact;
    std::string known;
    for (const auto& each : enumerators_of<E>) {
        if (same_name(each.name, text)) return each.value;
        known += known.empty() ? "" : ", ";
        known += each.name;
    }
    return fail(errc::invalid_row, concat("it is none of ", known));
}

[[nodiscard]] inline result<uuid> from_text(std::type_identity<uuid>, std::string_view text) {
    const auto read = parse_uuid(text);
    if (!read)
        return fail(errc::invalid_row,
                    "it is not a UUID of the form 01234567-89ab-cdef-0123-456789abcdef");
    return *read;
}

template <typename T>
    requires requires(std::string_view text) { from_text(std::type_identity<T>{}, text); }
[[nodiscard]] result<pii<T>> from_text(std::type_identity<pii<T>>, std::string_view text) {
    auto read = from_text(std::type_identity<T>{}, text);
    if (!read) return std::unexpected{std::move(read).error()};
    return pii<T>{std::move(*read)};
}

/// An empty cell is no value.
template <typename T>
    requires requires(std::string_view text) { from_text(std::type_identity<T>{}, text); }
[[nodiscard]] result<std::optional<T>> from_text(std::type_identity<std::optional<T>>,
                                                 std::string_view text) {
    if (text.empty()) return std::nullopt;
    return from_text(std::type_identity<T>{}, text);
}

/// A type that can be a column.
template <typename T>
concept readable_from_text = requires(std::string_view text) {
    { from_text(std::type_identity<T>{}, text) } -> std::same_as<result<T>>;
};

}  // namespace bulk
