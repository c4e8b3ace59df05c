// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/concat.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/core/reflect.hpp>
#include <bulk/core/uuid.hpp>
#include <bulk/rows/civil_time.hpp>
#include <bulk/rows/decimal.hpp>
#include <bulk/rows/number_text.hpp>
#include <bulk/rows/time_text.hpp>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace bulk {

// to_text(value) -> std::string is the other half of from_text: what it writes, from_text reads as
// the same value. A value that no file can hold (NaN and infinities, an enumerator without a name, a
// day that does not exist, a year before 0 or after 9999) becomes a text that from_text refuses: a bad
// row later, never another value. Overload it in your type's own namespace beside from_text.

template <whole_number T>
[[nodiscard]] std::string to_text(T value) {
    return concat(value);
}

/// The shortest form that is read as the same number.
template <std::floating_point T>
[[nodiscard]] std::string to_text(T value) {
#ifdef __cpp_lib_to_chars
    char digits[64];
    const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, value);
    return std::string(digits, end);
#else
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(std::numeric_limits<T>::max_digits10);
    text << value;
    return text.str();
#endif
}

[[nodiscard]] inline std::string to_text(bool value) { return value ? "true" : "false"; }
[[nodiscard]] inline std::string to_text(const std::string& text) { return text; }
[[nodiscard]] inline std::string to_text(std::string_view text) { return std::string{text}; }

template <described_enum E>
[[nodiscard]] std::string to_text(E value) {
    const auto name = name_of(value);
    if (name.empty()) return concat(static_cast<std::int64_t>(value));
    return std::string{name};
}

/// By a format of `from_text`; the empty one is ISO 8601, in UTC.
template <time_type T>
[[nodiscard]] std::string to_text(const T& value, std::string_view format = {}) {
    if (format.empty()) format = date_type<T> ? iso_date : iso_moment;
    return civil_text(civil_time_of(value), format);
}

template <typename T>
[[nodiscard]] std::string to_text(const std::optional<T>& value) {
    return value ? to_text(*value) : std::string{};
}

}  // namespace bulk
