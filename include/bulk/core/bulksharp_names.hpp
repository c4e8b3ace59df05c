// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/error_type.hpp>
#include <bulk/core/names.hpp>
#include <bulk/core/reflect.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace bulk {

// The spelling of BulkSharp, whose clients know no other: its routes and its exports use these names.

/// `completed_with_errors` is `CompletedWithErrors`.
[[nodiscard]] inline std::string pascal_case(std::string_view name) {
    std::string text;
    bool is_first = true;
    for (const char c : name) {
        if (c == '_') {
            is_first = true;
            continue;
        }
        text += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        is_first = false;
    }
    return text;
}

/// The value of a PascalCase name, in any case; none for an unknown name.
template <described_enum E>
[[nodiscard]] std::optional<E> from_pascal_case(std::string_view name) {
    for (const auto& each : enumerators_of<E>)
        if (same_name(pascal_case(each.name), name)) return each.value;
    return std::nullopt;
}

template <described_enum E>
[[nodiscard]] std::string bulksharp_name(E value) {
    return pascal_case(name_of(value));
}

/// BulkSharp has no `Parse`: a row that cannot be read has failed its validation.
[[nodiscard]] inline std::string bulksharp_name(error_type type) {
    return pascal_case(name_of(type == error_type::parse ? error_type::validation : type));
}

}  // namespace bulk
