// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error.hpp>
#include <bulk/core/pii.hpp>
#include <bulk/rows/column_type.hpp>
#include <bulk/rows/fast_number.hpp>
#include <bulk/rows/from_text.hpp>
#include <bulk/rows/time_text.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bulk {

template <typename T>
[[nodiscard]] result<T> text_to(std::string_view text, std::string_view format) {
    if constexpr (time_type<T>)
        return from_text(std::type_identity<T>{}, text, format);
    else
        return from_text(std::type_identity<T>{}, text);
}

/// `into.assign(text)` for cells: they are short, and 30 bytes may be read from where the
/// text begins. Copies a fixed number of bytes whatever the size, so that no branch depends on it.
[[gnu::always_inline]] inline void assign_short(std::string& into, std::string_view text) {
    const auto copy = [&]<std::size_t Most>(std::integral_constant<std::size_t, Most>) {
        into.resize_and_overwrite(Most, [&](char* to, std::size_t) __attribute__((always_inline)) {
            std::memcpy(to, text.data(), Most);
            return text.size();
        });
    };
    if (into.capacity() >= 30 && text.size() <= 30)
        copy(std::integral_constant<std::size_t, 30>{});
    else if (text.size() <= 15)
        copy(std::integral_constant<std::size_t, 15>{});
    else
        into.assign(text);
}

/// The types that `read_fast` knows.
template <typename T>
concept reads_fast = whole_number<T> || std::floating_point<T> || std::same_as<T, bool>;

/// Text of a cell into a member. Reuses what the member has allocated before. True on success;
/// the reason of a failure is asked for afterwards, since failures are rare.
template <typename T>
[[gnu::always_inline]] inline bool read_cell(std::string_view text, std::string_view format,
                                             T& into) {
    if constexpr (std::same_as<T, std::string_view>) {
        into = text;
        return true;
    } else if constexpr (std::same_as<T, std::string>) {
        assign_short(into, text);
        return true;
    } else if constexpr (is_optional<T>) {
        if (text.empty()) {
            into.reset();
            return true;
        }
        if (!into) into.emplace();
        return read_cell(text, format, *into);
    } else if constexpr (is_pii<T>) {
        return read_cell(text, format, into.reveal());
    } else {
        if constexpr (reads_fast<T>)
            if (read_fast(text.data(), text.data() + text.size(), into)) return true;
        auto read = text_to<T>(text, format);
        if (!read) return false;
        into = std::move(*read);
        return true;
    }
}

template <typename T>
concept holds_text = std::same_as<typename bare_type<T>::type, std::string> ||
                     std::same_as<typename bare_type<T>::type, std::string_view>;

}  // namespace bulk
